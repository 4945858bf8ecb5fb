import { hash, X509Certificate } from 'node:crypto';

/** Extended key usage `clientAuth` (RFC 5280, 4.2.1.12). */
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';

/** What the rules look at, read once from a certificate. */
export interface SenderCertificate {
  readonly x509: X509Certificate;
  /** `sha256:` of its DER, and `spki-sha256:` of its public key's. */
  readonly pins: readonly [certificate: string, publicKey: string];
  /** Unix milliseconds, both included. */
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  /** Whether it is for TLS clients; one that names no usage is for all. */
  readonly isForClients: boolean;
  /** Its alternative names of types DNS (small letters) and URI. */
  readonly names: readonly string[];
}

/** Reads a certificate from its DER bytes, which it must fill; null when it cannot be read. */
export function readCertificate(der: Buffer): SenderCertificate | null {
  try {
    const x509 = new X509Certificate(der);
    // OpenSSL takes PEM too, and ignores bytes after the certificate.
    return x509.raw.equals(der) ? senderCertificate(x509) : null;
  } catch {
    return null;
  }
}

/** Null when the certificate's public key or dates cannot be read. */
export function senderCertificate(x509: X509Certificate): SenderCertificate | null {
  const notBeforeMs = Date.parse(x509.validFrom);
  const notAfterMs = Date.parse(x509.validTo);
  if (Number.isNaN(notBeforeMs) || Number.isNaN(notAfterMs)) return null;
  const publicKey = publicKeyOf(x509);
  if (publicKey === null) return null;
  // Typed as always there, but undefined without the extension. Node gives the extended usages.
  const usages: readonly string[] | undefined = x509.keyUsage;
  return {
    x509,
    pins: [`sha256:${hash('sha256', x509.raw)}`, `spki-sha256:${hash('sha256', publicKey)}`],
    notBeforeMs,
    notAfterMs,
    isForClients: usages === undefined || usages.includes(CLIENT_AUTH),
    names: namesIn(x509.subjectAltName ?? ''),
  };
}

function publicKeyOf(x509: X509Certificate): Buffer | null {
  try {
    return x509.publicKey.export({ type: 'spki', format: 'der' });
  } catch {
    // An algorithm that OpenSSL does not know.
    return null;
  }
}

/** `DNS:a, URI:"b"`: Node writes names with special characters as JSON strings. */
const NAME = /(DNS|URI):("(?:[^"\\]|\\.)*"|[^,"]*)(?:, |$)|[^,"]*(?:"(?:[^"\\]|\\.)*")?(?:, |$)/gy;

function namesIn(subjectAltName: string): string[] {
  return [...subjectAltName.matchAll(NAME)].flatMap(([, type, given]) => {
    if (type === undefined || given === undefined) return [];
    const name = given.startsWith('"') ? String(JSON.parse(given)) : given;
    return [type === 'DNS' ? name.toLowerCase() : name];
  });
}
