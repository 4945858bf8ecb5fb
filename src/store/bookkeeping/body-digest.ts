import { hash } from 'node:crypto';

/** Deepest nesting that is compared member by member; deeper bodies are compared byte by byte. */
const DEPTH_MAX = 64;

/** Differs between deliveries of one notification. */
const NOT_CONTENT = 'timestamp';

const decoder = new TextDecoder();

class TooDeep extends Error {}

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
  // A list without objects is written as JSON writes it.
  if (list.every(isPrimitive)) return JSON.stringify(list);
  let text = '';
  for (const item of list) {
    if (text !== '') text += ',';
    text += canonical(item, depth + 1);
  }
  return `[${text}]`;
}

/** Appends to one text: joining the member lists of 100,000 objects took most of the time. */
function canonical(value: unknown, depth: number): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (depth > DEPTH_MAX) throw new TooDeep();
  if (Array.isArray(value)) return canonicalItems(value, depth);
  return canonicalMembers(value, Object.keys(value), depth);
}

function contentOf(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return canonical(value, 0);
  const names = Object.keys(value).filter((name) => name !== NOT_CONTENT);
  return canonicalMembers(value, names, 0);
}

/**
 * Digest of a body without its `timestamp`, which differs between deliveries of one notification. It
 * distinguishes a repeat from another body under the same id. Member order does not count. Bytes that
 * are not JSON, or are nested too deep, are digested as they are. 128 bits of SHA-256.
 */
export function bodyDigest(raw: Uint8Array): string {
  return digestOf(textToDigest(raw));
}

function textToDigest(raw: Uint8Array): string | Uint8Array {
  try {
    return contentOf(JSON.parse(decoder.decode(raw)));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TooDeep) return raw;
    throw error;
  }
}

function digestOf(bytes: string | Uint8Array): string {
  return hash('sha256', bytes, 'buffer').subarray(0, 16).toString('base64url');
}
