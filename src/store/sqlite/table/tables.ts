import type { AssetRow, DecimalsCorrectionTableRow } from './asset-tables.ts';
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

// The rows of schema.sql, column by column; a test compares this file with the schema.

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
}

export interface VaultSpanRow {
  vault_id: string;
  span: number;
}

export interface QuarantineTableRow {
  quarantine_id: string;
  seq: number;
  notification_id: string;
  digest: string;
  defect: string;
  state: string;
  received_at: number;
  retried_at: number | null;
}

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
}

export interface BalanceRow {
  ledger_account: number;
  amount: string;
}

export interface MovementRow {
  hash_id: number;
  network: string;
  blockchain_hash: string;
  vault_id: string;
  asset: string;
  books: string;
  chain: string;
  custody: string | null;
  on_books: number;
  on_chain: number;
  standing: string;
  changed_at: number;
  judged: string;
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

export interface BreakRow {
  break_id: string;
  type: string;
  key: string;
  severity: string;
  original_severity: string;
  state: string;
  assignee: string | null;
  vault_id: string | null;
  network: string | null;
  blockchain_hash: string | null;
  asset: string | null;
  transaction_id: string | null;
  deposit_id: string | null;
  expected: string | null;
  actual: string | null;
  detail: string;
  opened_at: number;
  updated_at: number;
  resolved_at: number | null;
  resolved_by: string | null;
  resolution: string | null;
}

export interface BreakEventRow {
  break_id: string;
  seq: number;
  at: number;
  actor: string;
  action: string;
  reason: string;
  figures_before: string | null;
  figures_after: string | null;
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

export interface ExemptionTableRow {
  seq: number;
  actor: string;
  rules: string;
  set_at: number;
}

export interface ExemptDifferenceRow {
  key: string;
  rule: string;
  type: string;
  severity: string;
  vault_id: string | null;
  network: string | null;
  blockchain_hash: string | null;
  asset: string | null;
  transaction_id: string | null;
  deposit_id: string | null;
  expected: string | null;
  actual: string | null;
  detail: string;
}

/** The columns of a difference that `breaks` and `exempt_differences` share. */
export type FindingColumns = Omit<ExemptDifferenceRow, 'rule'>;

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
