export interface AssetRow {
  asset: string;
  decimals: number;
}

export interface DecimalsCorrectionTableRow {
  seq: number;
  asset: string;
  decimals_before: number;
  decimals_after: number;
  actor: string;
  reason: string;
  corrected_at: number;
}
