import { createHash, X509Certificate } from 'node:crypto';

/** A certificate's DER bytes. */
export function derOf(pem: string): Buffer {
  return new X509Certificate(pem).raw;
}

/** A certificate's pin. */
export function pinOf(pem: string): string {
  return `sha256:${createHash('sha256').update(derOf(pem)).digest('hex')}`;
}

/** RFC 9440, as HAProxy writes it: `:%[ssl_c_der,base64]:`. */
export function clientCert(pem: string): string {
  return `:${derOf(pem).toString('base64')}:`;
}

/** As nginx writes `$ssl_client_escaped_cert`. */
export function escapedPem(pem: string): string {
  return encodeURIComponent(pem);
}

export function base64Der(pem: string): string {
  return derOf(pem).toString('base64');
}

/** As Envoy writes `Cert`: it escapes only what its own format needs. */
export function envoyCert(pem: string): string {
  const escaped: Readonly<Record<string, string>> = {
    '\n': '%0A',
    ' ': '%20',
    '+': '%2B',
    '/': '%2F',
    '=': '%3D',
  };
  return `"${pem.replaceAll(/[\n +/=]/g, (char) => escaped[char] ?? '')}"`;
}
