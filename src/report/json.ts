import type { CloseSignature } from '../domain/close/signature.ts';
import type { SignedReport } from './signed-report.ts';

/** A signature as documents show it. */
export function signatureShown({ role, person, reason, reportHash, signedAt }: CloseSignature) {
  return { role, person, reason, reportHash, signedAt: new Date(signedAt).toISOString() };
}

/**
 * The sealed text with two more members: `reportHash` and `signatures`. Without them it is, byte
 * for byte, the hashed text.
 */
export function jsonText({ sealed, reportHash, signatures }: SignedReport): string {
  const shown = signatures.map(signatureShown);
  const beside = `"reportHash":${JSON.stringify(reportHash)},"signatures":${JSON.stringify(shown)}`;
  return `${sealed.slice(0, -1)},${beside}}`;
}
