import type { DailyReport } from '../domain/close-report.ts';

/** A vault's name as the custody service told it at the close, where it did. */
export function vaultNameOf({ vaultNames }: DailyReport, vaultId: string | null): string | null {
  return vaultId === null ? null : (vaultNames?.[vaultId] ?? null);
}

/** A row of a report with the name of its vault. */
export function withVaultName<Row extends { readonly vaultId: string | null }>(
  report: DailyReport,
  row: Row,
): Row & { readonly vaultName: string | null } {
  return { ...row, vaultName: vaultNameOf(report, row.vaultId) };
}
