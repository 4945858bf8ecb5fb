import { CommandFailed } from './terminal.ts';

/** What a running daemon said in place of what it was asked for. */
export function refusedBy(where: URL, status: number, text: string): CommandFailed {
  const hint = isRefusedToken(status) ? ' Set COUNTERFOIL_TOKEN or --token-file.' : '';
  return new CommandFailed(`${where.href} answered ${status}: ${detailOf(text)}${hint}`);
}

/** Why a daemon was not reached, and what to do. */
export function unreached(where: URL, error: unknown): CommandFailed {
  const why = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return new CommandFailed(`${where.href} does not answer (${why}): ${remedyOf(where, code)}`);
}

/** Codes of OpenSSL for a chain of certificates that ends at an authority which nobody named. */
const UNTRUSTED = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
];

/** Of a missing or strange client certificate no more comes than the end of the connection. */
const CLOSED = ['UND_ERR_SOCKET', 'ECONNRESET', 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'];

function remedyOf({ protocol }: URL, code: string): string {
  if (UNTRUSTED.includes(code)) {
    return "its certificate is not trusted here: give its authority's with --ca FILE";
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return 'give --url with a name that its certificate has';
  }
  if (protocol === 'https:' && CLOSED.includes(code)) {
    return 'where it asks for client certificates (listen.tls.caFile), give one of that authority with --cert FILE --key FILE';
  }
  return 'is the daemon running there?';
}

function isRefusedToken(status: number): boolean {
  return status === 401 || status === 403;
}

/** What a problem document says to people; of anything else its beginning. */
function detailOf(text: string): string {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && 'detail' in body) return String(body.detail);
  } catch {
    // A proxy between may answer with a page.
  }
  return text.slice(0, 500);
}
