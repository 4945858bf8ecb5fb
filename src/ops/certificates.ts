import { X509Certificate } from 'node:crypto';

/** OpenSSL codes of a certificate chain whose authority is unknown here. */
export const UNKNOWN_AUTHORITY: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

const BLOCK = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;

/** Every certificate of a PEM text, in its order. Throws when one of them cannot be read. */
export function certificatesIn(pem: string): X509Certificate[] {
  return (pem.match(BLOCK) ?? []).map((block) => new X509Certificate(block));
}
