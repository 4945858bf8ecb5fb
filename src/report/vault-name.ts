import type { DailyReport } from '../domain/close/report.ts';

/** A vault's name from the custody service at the close, or null. */
export function vaultNameOf({ vaultNames }: DailyReport, vaultId: string | null): string | null {
  if (vaultId === null || vaultNames === undefined) return null;
  // An id such as `constructor` must not find an inherited member.
  return Object.hasOwn(vaultNames, vaultId) ? (vaultNames[vaultId] ?? null) : null;
}

/** A report row with its vault's name. */
export function withVaultName<Row extends { readonly vaultId: string | null }>(
  report: DailyReport,
  row: Row,
): Row & { readonly vaultName: string | null } {
  return { ...row, vaultName: vaultNameOf(report, row.vaultId) };
}
