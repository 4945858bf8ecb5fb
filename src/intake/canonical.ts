import { createHash } from 'node:crypto';

/** Deepest nesting that is compared member by member; the service's bodies have five levels. */
const DEPTH_MAX = 64;

function opensMoreThan(most: number, text: string, bracket: '{' | '['): boolean {
  let count = 0;
  for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
    count += 1;
    if (count > most) return true;
  }
  return false;
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels < 0) return true;
  return Object.values(value).some((member) => isDeeperThan(levels - 1, member));
}

/** Why a body cannot be compared member by member, or null. `text`: what `value` was parsed from. */
export function nestingDefect(text: string, value: Record<string, unknown>): string | null {
  // So few brackets cannot nest that deep, and nearly every body ends here.
  const most = DEPTH_MAX / 2;
  if (!opensMoreThan(most, text, '{') && !opensMoreThan(most, text, '[')) return null;
  const { timestamp: _, ...content } = value;
  return isDeeperThan(DEPTH_MAX, content) ? `body: nested deeper than ${DEPTH_MAX} levels` : null;
}

function canonical(value: unknown, depth: number): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (depth > DEPTH_MAX) throw new RangeError(`nested deeper than ${DEPTH_MAX} levels`);
  if (Array.isArray(value)) {
    return `[${value.map((item: unknown) => canonical(item, depth + 1)).join(',')}]`;
  }
  const members = Object.entries(value)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonical(member, depth + 1)}`);
  return `{${members.join(',')}}`;
}

/**
 * Digest of a body without its `timestamp`, which differs between deliveries of one notification.
 * Member order does not count. Throws `RangeError` on absurd nesting.
 */
export function contentDigest(body: Readonly<Record<string, unknown>>): string {
  const { timestamp: _, ...content } = body;
  return digestOf(canonical(content, 0));
}

/** 128 bits of SHA-256, enough to tell two bodies apart. */
export function digestOf(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest().subarray(0, 16).toString('base64url');
}
