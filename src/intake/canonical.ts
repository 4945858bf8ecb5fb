import { createHash } from 'node:crypto';

/** Deepest nesting that is compared member by member; the service's bodies have five levels. */
const DEPTH_MAX = 64;

/** Differs between deliveries of one notification. */
const NOT_CONTENT = 'timestamp';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

function opensMoreThan(most: number, text: string, bracket: '{' | '['): boolean {
  let count = 0;
  for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
    count += 1;
    if (count > most) return true;
  }
  return false;
}

/** Where the string ends that starts with the quote at this place. */
function closingQuote(text: string, opening: number): number {
  for (let at = text.indexOf('"', opening + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text.charCodeAt(at - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return at;
  }
  return text.length;
}

/** Whether JSON text opens more than so many brackets within one another. */
function nestsDeeperThan(levels: number, text: string): boolean {
  let open = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = closingQuote(text, at);
    else if (code === 0x5b || code === 0x7b) open += 1;
    else if (code === 0x5d || code === 0x7d) open -= 1;
    if (open > levels) return true;
  }
  return false;
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels < 0) return true;
  return Object.values(value).some((member) => isDeeperThan(levels - 1, member));
}

/** Why a body cannot be compared member by member, or null. `text`: what `value` was parsed from. */
export function nestingDefect(
  text: string,
  value: Readonly<Record<string, unknown>>,
): string | null {
  // So few brackets cannot nest that deep, and nearly every body ends here.
  const most = DEPTH_MAX / 2;
  if (!opensMoreThan(most, text, '{') && !opensMoreThan(most, text, '[')) return null;
  // The text is read in a fraction of the time that its values take, and nearly all others end here.
  if (!nestsDeeperThan(DEPTH_MAX + 1, text)) return null;
  const isDeeper = Object.keys(value).some(
    (name) => name !== NOT_CONTENT && isDeeperThan(DEPTH_MAX - 1, value[name]),
  );
  return isDeeper ? `body: nested deeper than ${DEPTH_MAX} levels` : null;
}

function isPrimitive(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

function canonicalMembers(value: object, names: string[], depth: number): string {
  let text = '';
  for (const name of names.length > 1 ? names.sort() : names) {
    const member = (value as Record<string, unknown>)[name];
    if (text !== '') text += ',';
    text += `${JSON.stringify(name)}:${canonical(member, depth + 1)}`;
  }
  return `{${text}}`;
}

function canonicalItems(list: readonly unknown[], depth: number): string {
  // As JSON writes it, there being no members to put in order.
  if (list.every(isPrimitive)) return JSON.stringify(list);
  let text = '';
  for (const item of list) {
    if (text !== '') text += ',';
    text += canonical(item, depth + 1);
  }
  return `[${text}]`;
}

/** Puts the text together as it goes: lists of the members of 100,000 objects took most of the time. */
function canonical(value: unknown, depth: number): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (depth > DEPTH_MAX) throw new RangeError(`nested deeper than ${DEPTH_MAX} levels`);
  if (Array.isArray(value)) return canonicalItems(value, depth);
  return canonicalMembers(value, Object.keys(value), depth);
}

/**
 * Digest of a body without its `timestamp`, which differs between deliveries of one notification.
 * Member order does not count. Throws `RangeError` on absurd nesting.
 */
export function contentDigest(body: Readonly<Record<string, unknown>>): string {
  const names = Object.keys(body).filter((name) => name !== NOT_CONTENT);
  return digestOf(canonicalMembers(body, names, 0));
}

/** 128 bits of SHA-256, enough to tell two bodies apart. */
export function digestOf(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest().subarray(0, 16).toString('base64url');
}
