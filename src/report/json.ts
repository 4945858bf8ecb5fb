import type { SignedReport } from './signed-report.ts';

/**
 * The sealed text with two more members: `reportHash` and `signatures`. Without them it is, byte
 * for byte, the hashed text.
 */
export function jsonText({ sealed, reportHash, signatures }: SignedReport): string {
  const shown = signatures.map(({ role, person, reason, reportHash: hash, signedAt }) => ({
    role,
    person,
    reason,
    reportHash: hash,
    signedAt: new Date(signedAt).toISOString(),
  }));
  const beside = `"reportHash":${JSON.stringify(reportHash)},"signatures":${JSON.stringify(shown)}`;
  return `${sealed.slice(0, -1)},${beside}}`;
}
