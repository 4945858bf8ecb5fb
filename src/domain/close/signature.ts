import type { SignatureRole } from './record.ts';
import type { Refusal } from '../fact/decision.ts';

/** A person's signature of a day's report. */
export interface CloseSignature {
  readonly role: SignatureRole;
  /** The name of the token. */
  readonly person: string;
  readonly reason: string;
  /** SHA-256 of the report that was signed, hex. */
  readonly reportHash: string;
  readonly signedAt: number;
}

export type Signing =
  | { readonly kind: 'signed' }
  /** The same person has already signed in the same role. */
  | { readonly kind: 'known' }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

function conflict(detail: string): Signing {
  return { kind: 'refused', refusal: { kind: 'conflict', detail } };
}

/** What another person may do where somebody has signed in their role. */
function leftToSign(role: SignatureRole, signatures: readonly CloseSignature[]): string {
  if (role === 'reviewer') return ': nothing is left to sign';
  const reviewer = signatures.find((one) => one.role === 'reviewer');
  return reviewer === undefined
    ? ': sign it as reviewer'
    : `, and ${reviewer.person} as reviewer: nothing is left to sign`;
}

/**
 * Handles a signature. Two people sign: first the preparer, then another person as reviewer. Each
 * signs once, and only the report that the person read.
 */
export function handleSignature(
  report: { readonly day: string; readonly reportHash: string },
  signatures: readonly CloseSignature[],
  by: { role: SignatureRole; person: string; reportHash: string },
): Signing {
  const { role, person, reportHash } = by;
  if (reportHash !== report.reportHash) {
    return conflict(
      `the report of ${report.day} has another hash, ${report.reportHash}: read this report, then sign it`,
    );
  }
  const inRole = signatures.find((one) => one.role === role);
  if (inRole !== undefined) {
    if (inRole.person === person) return { kind: 'known' };
    return conflict(
      `${report.day} was signed by ${inRole.person} as ${role}${leftToSign(role, signatures)}`,
    );
  }
  const preparer = signatures.find((one) => one.role === 'preparer');
  if (role === 'preparer') return { kind: 'signed' };
  if (preparer === undefined)
    return conflict(`nobody has prepared ${report.day} yet: the preparer signs first`);
  if (preparer.person === person) {
    return conflict(`the reviewer must be another person: ${person} prepared ${report.day}`);
  }
  return { kind: 'signed' };
}
