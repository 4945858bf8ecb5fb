// The rows of the count tables and of `look_round`.

export interface MovementCountRow {
  agreement: string;
  count: number;
}

export interface DepositCountRow {
  state: string;
  count: number;
}

export interface IntakeCountRow {
  outcome: string;
  count: number;
}

export interface NotificationCountRow {
  vault_id: string;
  status: string;
  count: number;
  newest_seq: number;
}

export interface BreakCountRow {
  type: string;
  severity: string;
  state: string;
  count: number;
}

export interface LookRoundRow {
  only_row: number;
  break_id: string | null;
  difference: string | null;
}
