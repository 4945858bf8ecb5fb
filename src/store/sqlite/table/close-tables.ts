// The rows of a close's totals; `rows/close-row.ts` maps the other tables of the daily close.

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
