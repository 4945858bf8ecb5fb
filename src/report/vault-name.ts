import type { DailyReport } from '../domain/close-report.ts';

/** A vault's name as the custody service told it at the close, where it did. */
export function vaultNameOf({ vaultNames }: DailyReport, vaultId: string | null): string | null {
  if (vaultId === null || vaultNames === undefined) return null;
  // An id such as `constructor` must not find what every object has.
  return Object.hasOwn(vaultNames, vaultId) ? (vaultNames[vaultId] ?? null) : null;
}

/** A row of a report with the name of its vault. */
export function withVaultName<Row extends { readonly vaultId: string | null }>(
  report: DailyReport,
  row: Row,
): Row & { readonly vaultName: string | null } {
  return { ...row, vaultName: vaultNameOf(report, row.vaultId) };
}
