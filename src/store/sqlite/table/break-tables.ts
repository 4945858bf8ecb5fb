// The rows of the breaks and exemptions.

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
