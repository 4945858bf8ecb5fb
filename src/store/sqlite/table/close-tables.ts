// The rows of the daily close's tables; `tables.ts` has the others.

export interface DailyCloseTableRow {
  day: string;
  seq: number;
  timezone: string;
  cut_off_at: number;
  closed_at: number;
  through_seq: number;
  first_posted_at: number | null;
  last_posted_at: number | null;
  commit_number: number;
  seal_hash: string;
  status: string;
  custody_compared: number;
  report_hash: string;
  previous_report_hash: string | null;
  report: string;
}

export interface DailyTotalRow {
  day: string;
  vault_id: string;
  asset: string;
  opening: string;
  deposits: string;
  withdrawals: string;
  fees: string;
  rebates: string;
  mints: string;
  internal: string;
  change: string;
  adjustments: string;
  closing: string;
  chain_closing: string;
  custody_closing: string | null;
}

export interface PositionTotalRow {
  ledger_account: number;
  day: string;
  amount: string;
}
