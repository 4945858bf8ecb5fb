/** Prefix of every endpoint (spec, "Versioning"). */
const API_PREFIX = '/api/v1';

export const ADDRESS_TRANSACTIONS_PATH = '/addresses/{addressId}/blockchain-transactions';

export type QueryValue = string | number | undefined;

/**
 * Fills `{name}` of a template with path segments, encoding each as one segment. Throws a URIError
 * for a lone surrogate: check ids with `isSegment` first.
 */
export function fill(template: string, ids: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(ids, name) ? encodeURIComponent(ids[name] ?? '') : whole,
  );
}

/**
 * Whether an id can be a path segment. Ids come from unsigned webhooks. Servers resolve away an
 * empty id or one of dots alone, so the call would reach another resource. A lone surrogate has no
 * encoding.
 */
export function isSegment(id: string): boolean {
  return id.length > 0 && !/^\.{1,2}$|\p{Surrogate}/u.test(id);
}

/** `?a=1&filter%5Bstatus%5D=mined`, or an empty text. Leaves out undefined values. */
export function queryText(query: Readonly<Record<string, QueryValue>>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) params.append(name, String(value));
  }
  const text = params.toString();
  return text === '' ? '' : `?${text}`;
}

/**
 * The API's origin and path prefix. The base address may have a path, with or without the prefix.
 * The prefix is `/api/v1` (the specification, section "Versioning"). Throws a TypeError for a text
 * that is no URL.
 */
export function apiBase(baseUrl: string): { origin: string; prefix: string } {
  const url = new URL(baseUrl);
  const path = url.pathname.replace(/\/+$/, '');
  return { origin: url.origin, prefix: path.endsWith(API_PREFIX) ? path : path + API_PREFIX };
}
