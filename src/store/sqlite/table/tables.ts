import type {
  BreakCountRow,
  DepositCountRow,
  IntakeCountRow,
  LookRoundRow,
  MovementCountRow,
  NotificationCountRow,
} from './count-tables.ts';
import type { DailyTotalRow, PositionTotalRow } from './close-tables.ts';
import type {
  JournalTableRow,
  BodiesTableRow,
  SealRow,
  HashTableRow,
  NotificationTableRow,
} from './journal-tables.ts';
import type { LedgerAccountRow, EntryRow, PostingRow, BalanceRow } from './ledger-tables.ts';
import type {
  BreakRow,
  BreakEventRow,
  ExemptionTableRow,
  ExemptDifferenceRow,
} from './rows/break-row.ts';
import type {
  CloseSignatureRow,
  CustodyEffectTableRow,
  DailyCloseTableRow,
} from './rows/close-row.ts';
import type { DepositRow } from './rows/deposit-row.ts';
import type { MovementRow } from './rows/movement-row.ts';
import type { DecimalsCorrectionTableRow, PolicyTableRow } from './rows/policy-row.ts';
import type { QuarantineTableRow } from './rows/quarantine-row.ts';
import type { ReconciliationTableRow } from './rows/run-row.ts';
import type { TokenChangeTableRow } from './rows/token-row.ts';
import type { OwnHashRow, WithdrawalRow } from './rows/withdrawal-row.ts';

// The rows of schema.sql, column by column: the records of a hash, decisions and keys. The files of
// this folder named *-tables.ts and the mappings in `rows/` have the rest; a test compares all of
// them with the schema.

export interface SightingRow {
  hash_id: number;
  vault_id: string;
  stream: string;
  account_id: string;
  address_id: string;
  memo: string;
  epoch: number;
  rolled_back_at: number | null;
  seen: string;
  entry_id: number | null;
  posted: string;
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

export interface RestoreTableRow {
  seq: number;
  feed_length: number;
  history: number;
  restored_at: number;
}

export interface AssetRow {
  asset: string;
  decimals: number;
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
