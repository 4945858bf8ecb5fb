export interface AssetRow {
  asset: string;
  decimals: number;
}

export interface TokenChangeTableRow {
  seq: number;
  name: string;
  role: string;
  sha256: string | null;
  actor: string;
  reason: string;
  changed_at: number;
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
