import type { AssetRow, DecimalsCorrectionTableRow, TokenChangeTableRow } from './asset-tables.ts';
import type {
  BreakCountRow,
  DepositCountRow,
  IntakeCountRow,
  LookRoundRow,
  MovementCountRow,
  NotificationCountRow,
} from './count-tables.ts';
import type {
  CloseSignatureRow,
  CustodyEffectTableRow,
  DailyCloseTableRow,
  DailyTotalRow,
  PositionTotalRow,
} from './close-tables.ts';
import type {
  JournalTableRow,
  BodiesTableRow,
  SealRow,
  HashTableRow,
  NotificationTableRow,
  VaultSpanRow,
  QuarantineTableRow,
} from './journal-tables.ts';
import type {
  LedgerAccountRow,
  EntryRow,
  PostingRow,
  BalanceRow,
  MovementRow,
} from './ledger-tables.ts';
import type {
  BreakRow,
  BreakEventRow,
  ExemptionTableRow,
  ExemptDifferenceRow,
} from './break-tables.ts';

// The rows of schema.sql, column by column: the records of a hash, decisions and keys. The other
// files of this folder named *-tables.ts have the rest; a test compares all of them with the schema.

export interface SightingRow {
  hash_id: number;
  vault_id: string;
  stream: string;
  account_id: string;
  address_id: string;
  memo: string;
  epoch: number;
  seen: string;
  entry_id: number | null;
  posted: string;
}

export interface DepositRow {
  hash_id: number;
  deposit_id: string;
  first_seq: number;
  vault_id: string;
  network: string;
  blockchain_hash: string;
  account_id: string | null;
  address_id: string | null;
  memo: string | null;
  asset: string;
  transaction_id: string | null;
  amount: string;
  epoch: number;
  evidence: string;
  confirmations: number;
  change: number;
  own_transfer: number;
  unattributed: number;
  attributed_to: string | null;
  attributed_by: string | null;
  decimals_changed: number;
  operator_hold: string | null;
  approvals: string;
  verified_at: number | null;
  custody_confirmations: number;
  credit_id: string | null;
  credit_amount: string | null;
  credited_at: number | null;
  credit_reference: string | null;
  credits_issued: number;
  reversed_credit_id: string | null;
  state: string;
  reason: string | null;
  required_confirmations: number;
  first_seen_at: number;
  updated_at: number;
  updated_hour: number;
}

export interface WithdrawalRow {
  transaction_id: string;
  vault_id: string;
  order_id: string | null;
  hash_id: number | null;
  network: string | null;
  blockchain_hash: string | null;
  account_id: string | null;
  address_id: string | null;
  destination_address: string | null;
  memo: string | null;
  status: string | null;
  reason_code: string | null;
  entry_id: number | null;
  posted: string;
  custody: string;
  first_seen_at: number;
  updated_at: number;
}

export interface OwnHashRow {
  hash_id: number;
  network: string;
  blockchain_hash: string;
  transaction_id: string;
  standing: string;
}

export interface CreditRow {
  feed_seq: number;
  seq: number;
  credit_id: string;
  kind: string;
  hash_id: number;
  deposit_id: string;
  amount: string;
  reverses: string | null;
  deposit: string;
  created_at: number;
}

export interface AcknowledgementTableRow {
  credit_id: string;
  seq: number;
  reference: string;
  at: number;
}

export interface ReconciliationTableRow {
  seq: number;
  started_at: number;
  finished_at: number;
  matched: number;
  broken: number;
  exempt: string;
  skipped: string;
  requests: number;
  watermark: number | null;
  incomplete: string | null;
  addresses: string | null;
  replayed: number;
  pulled_forward: number;
  backfilled: number;
}

export interface RestoreTableRow {
  seq: number;
  feed_length: number;
  restored_at: number;
}

export interface PolicyTableRow {
  seq: number;
  source: string;
  actor: string;
  reason: string;
  policy: string;
  configured: string | null;
  set_at: number;
}

export interface KeyRow {
  space: number;
  fingerprint: number;
  row: number;
}

export interface KeysMergedRow {
  only_row: number;
  through_seq: number;
}

/** The rows of all tables by table name, for kysely. */
export interface Tables {
  journal: JournalTableRow;
  bodies: BodiesTableRow;
  seals: SealRow;
  hashes: HashTableRow;
  notifications: NotificationTableRow;
  vault_spans: VaultSpanRow;
  quarantine: QuarantineTableRow;
  sightings: SightingRow;
  ledger_accounts: LedgerAccountRow;
  entries: EntryRow;
  postings: PostingRow;
  balances: BalanceRow;
  movements: MovementRow;
  movement_counts: MovementCountRow;
  assets: AssetRow;
  decimals_corrections: DecimalsCorrectionTableRow;
  token_changes: TokenChangeTableRow;
  deposits: DepositRow;
  deposit_counts: DepositCountRow;
  withdrawals: WithdrawalRow;
  own_hashes: OwnHashRow;
  credits: CreditRow;
  acknowledgements: AcknowledgementTableRow;
  breaks: BreakRow;
  break_counts: BreakCountRow;
  notification_counts: NotificationCountRow;
  break_events: BreakEventRow;
  look_round: LookRoundRow;
  reconciliations: ReconciliationTableRow;
  restores: RestoreTableRow;
  policies: PolicyTableRow;
  exemptions: ExemptionTableRow;
  exempt_differences: ExemptDifferenceRow;
  daily_closes: DailyCloseTableRow;
  daily_totals: DailyTotalRow;
  position_totals: PositionTotalRow;
  custody_effects: CustodyEffectTableRow;
  close_signatures: CloseSignatureRow;
  keys: KeyRow;
  keys_merged: KeysMergedRow;
  intake_counts: IntakeCountRow;
}
