import type { X509Certificate } from 'node:crypto';
import type { SenderCertificate } from './sender-certificate.ts';

/** Why a sender's certificate is refused: label values of a metric. */
export const CERTIFICATE_REFUSALS = [
  'missing',
  'malformed',
  'duplicate',
  'other_form',
  'wrong_peer',
  'expired',
  'not_yet_valid',
  'wrong_usage',
  'wrong_issuer',
  'not_pinned',
  'wrong_name',
] as const;
export type CertificateRefusal = (typeof CERTIFICATE_REFUSALS)[number];

/** Longer chains are refused. */
const INTERMEDIATES_MAX = 8;

/** What a sender's certificate must be. */
export interface CertificateRules {
  readonly pins: ReadonlySet<string>;
  /** Authorities, one of which must have signed it itself; null: not checked. */
  readonly issuers: readonly X509Certificate[] | null;
  /** Alternative names, one of which it must have; null: not checked. */
  readonly names: ReadonlySet<string> | null;
}

/** Why a certificate is refused at this time, Unix milliseconds. The validity covers both ends. */
export function refusalByTime(
  { notBeforeMs, notAfterMs }: SenderCertificate,
  nowMs: number,
): 'expired' | 'not_yet_valid' | null {
  if (nowMs < notBeforeMs) return 'not_yet_valid';
  // The last second counts whole: dates of certificates are in seconds.
  return nowMs >= notAfterMs + 1_000 ? 'expired' : null;
}

/**
 * Why a certificate is refused at any time. The most helpful reason is first: a certificate of
 * another authority is not pinned either. `isTrusted`: whether our own TLS trusts its authority; true
 * when a proxy checked that.
 */
export function refusalByRules(
  { isForClients, pins, names, x509 }: SenderCertificate,
  rules: CertificateRules,
  isTrusted: boolean,
): 'wrong_usage' | 'wrong_issuer' | 'not_pinned' | 'wrong_name' | null {
  if (!isForClients) return 'wrong_usage';
  const isIssued = rules.issuers === null || isSignedBy(x509, rules.issuers);
  if (!isTrusted || !isIssued) return 'wrong_issuer';
  if (!pins.some((pin) => rules.pins.has(pin))) return 'not_pinned';
  const named = rules.names;
  return named === null || names.some((name) => named.has(name)) ? null : 'wrong_name';
}

function isSignedBy(x509: X509Certificate, issuers: readonly X509Certificate[]): boolean {
  return issuers.some(
    (issuer) => issuer.ca && x509.checkIssued(issuer) && x509.verify(issuer.publicKey),
  );
}

/** Whether authorities signed a certificate, themselves or through its own chain. */
export function chainsTo(
  authorities: readonly X509Certificate[],
  certificate: X509Certificate,
): boolean {
  let last: X509Certificate | undefined = certificate;
  for (let signed = 0; signed <= INTERMEDIATES_MAX && last !== undefined; signed += 1) {
    if (isSignedBy(last, authorities)) return true;
    const issuer: X509Certificate | undefined = last.issuerCertificate;
    if (issuer === undefined || !isSignedBy(last, [issuer])) return false;
    last = issuer;
  }
  return false;
}
