import { createHash } from 'node:crypto';

/** Deepest nesting that is compared member by member; the service's bodies have five levels. */
const DEPTH_MAX = 64;

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
