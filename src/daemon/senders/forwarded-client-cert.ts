/** The parts of Envoy's `X-Forwarded-Client-Cert` that identify the certificate. */
export type ForwardedClientCert =
  | {
      readonly kind: 'element';
      /** The certificate, PEM with percent-encoding. */
      readonly cert: string;
      /** SHA-256 of the certificate, in hexadecimal digits; null when Envoy did not send it. */
      readonly hash: string | null;
    }
  | { readonly kind: 'refused'; readonly reason: 'malformed' | 'duplicate' };

const MALFORMED: ForwardedClientCert = { kind: 'refused', reason: 'malformed' };

/** Keys of an element, in small letters: Envoy's documentation says that their case is free. */
const KEYS: ReadonlySet<string> = new Set(['by', 'hash', 'cert', 'chain', 'subject', 'uri', 'dns']);

/** `key=value` at a place in the header; a value in quotes escapes `"` and `\` by `\`. */
const PAIR = /([A-Za-z]+)=(?:"((?:[^"\\]|\\.)*)"|([^",;=]*(?:=[^",;=]*)*))/y;

/**
 * Reads Envoy's header: elements separated by `,`, each a list of `key=value` separated by `;`.
 * Each proxy on the way may have added an element. Only one of them comes from our Envoy, and
 * nothing says which one: more than one is refused.
 */
export function readForwardedClientCert(header: string): ForwardedClientCert {
  const found = new Map<string, string>();
  PAIR.lastIndex = 0;
  for (;;) {
    const pair = PAIR.exec(header);
    const key = pair?.[1]?.toLowerCase();
    if (pair === null || key === undefined || !KEYS.has(key)) return MALFORMED;
    const isRepeated = found.has(key);
    if (isRepeated && (key === 'cert' || key === 'hash')) return MALFORMED;
    found.set(key, pair[2] ?? pair[3] ?? '');
    const at = PAIR.lastIndex;
    if (at === header.length) break;
    if (header[at] === ',') return { kind: 'refused', reason: 'duplicate' };
    if (header[at] !== ';') return MALFORMED;
    PAIR.lastIndex = at + 1;
  }
  const cert = found.get('cert');
  if (cert === undefined) return MALFORMED;
  return { kind: 'element', cert, hash: found.get('hash')?.toLowerCase() ?? null };
}
