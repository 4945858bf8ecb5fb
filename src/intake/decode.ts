import { hash } from 'node:crypto';
import type { Notification } from '../domain/fact/notification.ts';
import type { DecodedBody } from '../store/port.ts';
import { isJsonObject, type Flaw } from '../translation/json-reader.ts';
import { readNotification } from '../translation/notification.ts';
import { nestingDefect } from './nesting.ts';
import { exceededNotificationLimit } from './notification-limits.ts';

/** Longest notification id that is stored unchanged. */
export const ID_CHARACTERS_MAX = 256;
const DEFECT_CHARACTERS_MAX = 500;

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const BYTE_ORDER_MARK = '\uFEFF';
/** NUL is not safe to compare in SQL text. A lone surrogate has no UTF-8 form. */
const LONE_SURROGATE = /\p{Surrogate}/u;
/** Only an escape can produce either: UTF-8 has no lone surrogates and JSON text has no NUL. */
const UNICODE_ESCAPE = '\\u';

function isUnstorable(text: string): boolean {
  return text.includes('\0') || LONE_SURROGATE.test(text);
}

function malformed(defect: string): DecodedBody {
  return { kind: 'malformed', defect };
}

function readText(raw: Uint8Array): { text: string } | { defect: string } {
  let text: string;
  try {
    text = strictUtf8.decode(raw);
  } catch {
    return { defect: 'the body is not valid UTF-8' };
  }
  if (text.startsWith(BYTE_ORDER_MARK)) return { defect: 'the body starts with a byte order mark' };
  return { text };
}

function readJson(
  raw: Uint8Array,
): { text: string; value: unknown; escaped: boolean } | { defect: string } {
  const read = readText(raw);
  if ('defect' in read) return read;
  const { text } = read;
  try {
    return { text, value: JSON.parse(text), escaped: text.includes(UNICODE_ESCAPE) };
  } catch (error) {
    return { defect: `the body is not JSON: ${(error as Error).message}` };
  }
}

/** 128 bits of SHA-256: different ids get different digests. */
function digestOf(id: string): string {
  return hash('sha256', id, 'buffer').subarray(0, 16).toString('base64url');
}

/** Replaces an id that cannot be stored unchanged. Different ids get different replacements. */
function storableId(id: string, escaped: boolean): { id: string; defect: string | null } {
  if (escaped && isUnstorable(id)) {
    return {
      id: `unstorable:${digestOf(JSON.stringify(id))}`,
      defect: 'id: holds a NUL or a lone surrogate',
    };
  }
  if (id.length > ID_CHARACTERS_MAX && Array.from(id).length > ID_CHARACTERS_MAX) {
    return {
      id: `long:${digestOf(id)}`,
      defect: `id: longer than ${ID_CHARACTERS_MAX} characters`,
    };
  }
  return { id, defect: null };
}

function describe(flaws: readonly Flaw[]): string {
  const text = flaws.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`);
  return text.join('; ').slice(0, DEFECT_CHARACTERS_MAX);
}

/**
 * The first field with text that cannot be stored, or null. Such an identifier could collide with
 * another one as a key.
 */
function unstorableField(notification: Notification): string | null {
  for (const [field, value] of Object.entries(notification)) {
    if (typeof value === 'string' && isUnstorable(value)) return field;
  }
  const changes = notification.changes ?? [];
  const at = changes.findIndex((change) =>
    [change.asset, change.accountId, change.addressId, change.memo].some(
      (value) => value !== null && isUnstorable(value),
    ),
  );
  return at === -1 ? null : `balanceChanges.${at}`;
}

/** Returns why a notification is too large to book, or null. `bytes`: the length of its body. */
type Excess = (notification: Notification, bytes: number) => string | null;

function decodeBy(raw: Uint8Array, excess: Excess): DecodedBody {
  const read = readJson(raw);
  if ('defect' in read) return malformed(read.defect);
  const { text, value, escaped } = read;
  if (!isJsonObject(value)) return malformed('the body is not a JSON object');
  const given = value['id'];
  if (typeof given !== 'string') return malformed('the body has no string "id"');
  if (given === '') return malformed('"id" is empty');
  const { id, defect: idDefect } = storableId(given, escaped);
  const early = idDefect ?? nestingDefect(text, value);
  if (early !== null) return { kind: 'quarantined', id, defect: early };
  const parsed = readNotification(value);
  if ('flaws' in parsed) return { kind: 'quarantined', id, defect: describe(parsed.flaws) };
  const { notification } = parsed;
  const field = escaped ? unstorableField(notification) : null;
  if (field !== null) {
    return { kind: 'quarantined', id, defect: `${field}: holds a NUL or a lone surrogate` };
  }
  const tooMuch = excess(notification, raw.length);
  if (tooMuch !== null) return { kind: 'quarantined', id, defect: tooMuch };
  return { kind: 'notification', notification };
}

/**
 * Reads a delivery's bytes (the specification, section "Events"). Ignores unknown fields and tags.
 * A body without an id is `malformed` and must be refused, because a retry could not be recognised.
 * Any other invalid notification, and one that is too large to book, is quarantined. Returns every
 * defect and throws none.
 */
export function decode(raw: Uint8Array): DecodedBody {
  return decodeBy(raw, exceededNotificationLimit);
}

/**
 * Reads the bytes of a journalled fact again. Applies no limits on size: what was booked once must
 * be booked again. Returns defects as `decode` does.
 */
export function decodeAgain(raw: Uint8Array): DecodedBody {
  return decodeBy(raw, () => null);
}
