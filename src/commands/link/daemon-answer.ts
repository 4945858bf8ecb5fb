import type { z } from 'zod';
import { CommandFailed } from '../../daemon/process/terminal.ts';
import { UNKNOWN_AUTHORITY } from '../../ops/certificates.ts';

const TOKEN_HINTS: Readonly<Record<number, string>> = {
  401: ' Set COUNTERFOIL_TOKEN or --token-file.',
  403: ' Set COUNTERFOIL_TOKEN or --token-file to a token whose role may do this.',
};

/** The error for a daemon's refusal. */
export function refusedBy(where: URL, status: number, text: string): CommandFailed {
  const hint = TOKEN_HINTS[status] ?? '';
  return new CommandFailed(`${where.href} answered ${status}: ${detailOf(text)}${hint}`);
}

/** The other side answers in plain text, as a port for http does. */
const NO_TLS = 'ERR_SSL_WRONG_VERSION_NUMBER';

/** The error for an unreachable daemon, with advice. */
export function unreached(where: URL, error: unknown): CommandFailed {
  const why = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === NO_TLS) {
    return new CommandFailed(`${where.href} does not answer: it speaks no TLS: use http://`);
  }
  return new CommandFailed(`${where.href} does not answer (${why}): ${remedyOf(where, code)}`);
}

/** An answer's JSON in the expected form. Throws `CommandFailed` for another one, such as a page. */
export function answerOf<Value>(where: URL, text: string, form: z.ZodType<Value>): Value {
  const answer = form.safeParse(jsonOf(text));
  if (answer.success) return answer.data;
  throw new CommandFailed(
    `${where.href} does not answer as this version's daemon does: give --url the daemon's own address, not that of a proxy with a sign-in page`,
  );
}

/** The value of a JSON text; undefined for any other text. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A missing or unknown client certificate only shows as a closed connection. */
const CLOSED = ['UND_ERR_SOCKET', 'ECONNRESET', 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'];

function remedyOf({ protocol }: URL, code: string): string {
  if (UNKNOWN_AUTHORITY.has(code)) {
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

/** The text of a problem document, or the beginning of any other body. */
function detailOf(text: string): string {
  // A proxy may answer with an HTML page.
  const body = jsonOf(text);
  const isProblem = typeof body === 'object' && body !== null && 'detail' in body;
  return isProblem ? String(body.detail) : text.slice(0, 500);
}
