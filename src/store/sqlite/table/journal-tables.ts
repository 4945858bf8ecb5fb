// The rows of the journal, its hashes and notifications.

export interface JournalTableRow {
  seq: number;
  kind: string;
  recorded_at: number;
  detail: string | null;
  body_start: number;
  body_bytes: number;
}

export interface BodiesTableRow {
  first_seq: number;
  last_seq: number;
  bytes: number;
  content: Uint8Array;
}

export interface SealRow {
  commit_number: number;
  first_seq: number;
  last_seq: number;
  sealed_at: number;
  previous_hash: Uint8Array;
  hash: Uint8Array;
}

export interface HashTableRow {
  hash_id: number;
  network: string;
  blockchain_hash: string;
}

export interface NotificationTableRow {
  seq: number;
  id: string;
  status: string;
  stream: string | null;
  type: string | null;
  vault_id: string | null;
  hash_id: number | null;
  transaction_id: string | null;
  confirmations: number | null;
  received_at: number;
  previous_of_vault: number | null;
}
