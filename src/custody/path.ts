/** Prefix of every endpoint (spec, "Versioning"). */
const API_PREFIX = '/api/v1';

export const ADDRESS_TRANSACTIONS_PATH = '/addresses/{addressId}/blockchain-transactions';

export type QueryValue = string | number | undefined;

/** Fills `{name}` of a template with path segments, each encoded so that it stays one segment. */
export function fill(template: string, ids: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(ids, name) ? encodeURIComponent(ids[name] ?? '') : whole,
  );
}

/**
 * Ids come from unsigned webhooks. An empty one, or one of dots alone, is not a segment: servers
 * resolve it away, and the call would reach another resource than the one it names. A lone
 * surrogate cannot be encoded.
 */
export function isSegment(id: string): boolean {
  return id.length > 0 && !/^\.{1,2}$|\p{Surrogate}/u.test(id);
}

/** `?a=1&filter%5Bstatus%5D=mined`, or nothing; undefined values are left out. */
export function queryText(query: Readonly<Record<string, QueryValue>>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) params.append(name, String(value));
  }
  const text = params.toString();
  return text === '' ? '' : `?${text}`;
}

/** Where the API is. The base address may bring a path of its own, with or without the prefix. */
export function apiBase(baseUrl: string): { origin: string; prefix: string } {
  const url = new URL(baseUrl);
  const path = url.pathname.replace(/\/+$/, '');
  return { origin: url.origin, prefix: path.endsWith(API_PREFIX) ? path : path + API_PREFIX };
}
