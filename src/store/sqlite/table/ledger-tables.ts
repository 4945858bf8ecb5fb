// The rows of the ledger: accounts, entries, postings, balances and movements.

export interface LedgerAccountRow {
  ledger_account: number;
  view: string;
  kind: string;
  vault_id: string;
  account_id: string;
  address_id: string;
  memo: string;
  asset: string;
}

export interface EntryRow {
  entry_id: number;
  seq: number;
  view: string;
  source: string;
  cause: string;
  vault_id: string;
  hash_id: number;
  network: string;
  blockchain_hash: string;
  transaction_id: string | null;
  reverses: number | null;
  posted_at: number;
}

export interface PostingRow {
  entry_id: number;
  line: number;
  ledger_account: number;
  change_kind: string;
  amount: string;
  previous_entry: number | null;
}

export interface BalanceRow {
  ledger_account: number;
  amount: string;
  newest_entry: number;
}
