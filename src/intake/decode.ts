import type { Notification } from '../domain/notification.ts';
import type { DecodedBody } from '../store/port.ts';
import { notificationOf } from '../translation/notification.ts';
import { flawsOf } from '../wire/flaws.ts';
import { isJsonObject, type JsonObject } from '../wire/json-guard.ts';
import { isNotification } from '../wire/notification-guard.ts';
import { contentDigest, digestOf, nestingDefect } from './canonical.ts';
import { excessIn } from './excess.ts';

/** Longest notification id that is taken as it is. */
export const ID_CHARACTERS_MAX = 256;
const DEFECT_CHARACTERS_MAX = 500;

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const BYTE_ORDER_MARK = '\uFEFF';
/** NUL cannot be compared safely in SQL text, and a lone surrogate has no UTF-8 form. */
const LONE_SURROGATE = /\p{Surrogate}/u;
/** The only way by which either gets into a value: UTF-8 holds no lone surrogate, JSON text no NUL. */
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

/** What stands for an id that cannot be stored as it is: distinct ids stay distinct. */
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

function describe(body: JsonObject): string {
  const text = flawsOf(body)
    .map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`)
    .join('; ');
  return text.slice(0, DEFECT_CHARACTERS_MAX);
}

/** Identifiers end up as keys: one that cannot be stored faithfully could collide with another. */
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

/** The digest of a body's content; of its bytes where it is nested beyond comparing. */
function digestOr(body: JsonObject, raw: Uint8Array): string {
  try {
    return contentDigest(body);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return digestOf(raw);
  }
}

interface Reading {
  /** What is said of a body that is no notification. */
  readonly explain: (body: JsonObject) => string;
  /** Why a notification is more than is booked at once, or null. */
  readonly excess: (notification: Notification, bytes: number) => string | null;
}

function decodeBy(raw: Uint8Array, { explain, excess }: Reading): DecodedBody {
  const read = readJson(raw);
  if ('defect' in read) return malformed(read.defect);
  const { text, value, escaped } = read;
  if (!isJsonObject(value)) return malformed('the body is not a JSON object');
  const given = value['id'];
  if (typeof given !== 'string') return malformed('the body has no string "id"');
  if (given === '') return malformed('"id" is empty');
  const { id, defect: idDefect } = storableId(given, escaped);
  const digest = (): string => digestOr(value, raw);
  const early = idDefect ?? nestingDefect(text, value);
  if (early !== null) return { kind: 'quarantined', id, digest, defect: early };
  if (!isNotification(value)) return { kind: 'quarantined', id, digest, defect: explain(value) };
  const notification = notificationOf(value);
  const field = escaped ? unstorableField(notification) : null;
  if (field !== null) {
    return { kind: 'quarantined', id, digest, defect: `${field}: holds a NUL or a lone surrogate` };
  }
  const tooMuch = excess(notification, raw.length);
  if (tooMuch !== null) return { kind: 'quarantined', id, digest, defect: tooMuch };
  return { kind: 'notification', notification, digest };
}

/**
 * Reads a delivery's bytes (spec, "Events"). Unknown fields and tags are ignored; everything that
 * is not a valid notification is told apart by whether the sender must be refused (no id: it could
 * never be recognised again) or the body kept aside. So is one that is too much to be booked at once.
 */
export function decode(raw: Uint8Array): DecodedBody {
  return decodeBy(raw, { explain: describe, excess: excessIn });
}

/**
 * The same, but for what is wrong with a body that is no notification: the schema takes longer to tell
 * than everything else, and whoever talks to this thread would wait for it.
 */
export function skim(raw: Uint8Array): DecodedBody {
  return decodeBy(raw, { explain: () => 'not a notification', excess: excessIn });
}

/** Reads the bytes of a fact for a replay: what was booked once is booked again, however much it is. */
export function decodeAgain(raw: Uint8Array): DecodedBody {
  return decodeBy(raw, { explain: describe, excess: () => null });
}
