import { z } from 'zod';
import { decodeFact, encodeFact } from '../../store/codec/fact.ts';
import type { Fact } from '../../domain/fact/fact.ts';
import type { DecodeBody, Submitted } from '../../store/port.ts';

/**
 * The version of what receivers say to each other. Receivers with different versions refuse each
 * other's facts. Within one version, facts have the form of the journal, which every later version
 * of the program reads.
 */
export const PROTOCOL = '1';

/** Most bytes of bodies in a frame; a longer body travels alone. */
export const BODIES_BYTES_MAX = 1_048_576;

/** Bytes before the list of facts: its length, unsigned, most significant byte first. */
const LENGTH_BYTES = 4;

const frameList = z.array(
  z.object({
    kind: z.enum(['notification', 'quarantined', 'refused', 'custody-record', 'decision']),
    recordedAt: z.int(),
    detail: z.string().nullable(),
    bytes: z.int().nonnegative(),
  }),
);

/**
 * Facts as bytes: the length of a list, the list as JSON, then the bodies. The list has a member per
 * fact with its kind, time, detail and number of body bytes.
 */
export function framed(facts: readonly Fact[]): Uint8Array {
  const rows = facts.map(encodeFact);
  const list = Buffer.from(
    JSON.stringify(
      rows.map(({ kind, recordedAt, detail, body }) => {
        return { kind, recordedAt, detail, bytes: body.length };
      }),
    ),
  );
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(list.length);
  return Buffer.concat([length, list, ...rows.map(({ body }) => body)]);
}

/** A fact of a frame, or why this version cannot take it. */
export type FramedFact =
  | { readonly kind: 'fact'; readonly fact: Fact }
  | { readonly kind: 'unreadable'; readonly cause: string };

/** Reads facts from bytes; null when the bytes are no frame. */
export function unframed(bytes: Uint8Array, decode: DecodeBody): FramedFact[] | null {
  const frame = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (frame.length < LENGTH_BYTES) return null;
  const listEnd = LENGTH_BYTES + frame.readUInt32BE(0);
  const list = listOf(frame.subarray(LENGTH_BYTES, listEnd).toString('utf8'));
  if (list === null) return null;
  let end = listEnd;
  const facts = list.map(({ bytes: bodyBytes, ...row }) => {
    const body = frame.subarray(end, end + bodyBytes);
    end += bodyBytes;
    return readFact({ ...row, seq: 0, body }, decode);
  });
  return end === frame.length ? facts : null;
}

function listOf(json: string): z.infer<typeof frameList> | null {
  try {
    return frameList.parse(JSON.parse(json));
  } catch {
    return null;
  }
}

/**
 * A delivery is decoded by the version that journals it: the sender's version may understand more, or
 * less.
 */
function readFact(row: Parameters<typeof decodeFact>[0], decode: DecodeBody): FramedFact {
  const { kind, recordedAt: at, body: raw } = row;
  try {
    if (kind !== 'notification' && kind !== 'quarantined') {
      return { kind: 'fact', fact: decodeFact(row, decode) };
    }
    const decoded = decode(raw);
    if (decoded.kind === 'malformed') return { kind: 'unreadable', cause: decoded.defect };
    return { kind: 'fact', fact: { ...decoded, at, raw } };
  } catch (error) {
    return { kind: 'unreadable', cause: error instanceof Error ? error.message : String(error) };
  }
}

const refusal = z.object({ kind: z.enum(['not_found', 'conflict', 'stale']), detail: z.string() });
const status = z.enum(['accepted', 'duplicate', 'quarantined']);

/** What became of a fact at the owner. `failed`: a bug, or a fact that its version cannot read. */
export type OwnerAnswer = Submitted | { readonly kind: 'failed'; readonly cause: string };

const ownerAnswer = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('delivery'), status: z.enum([...status.options, 'refused']) }),
  z.object({ kind: z.literal('taken'), seq: z.int(), status: status.exactOptional() }),
  z.object({ kind: z.literal('unchanged') }),
  z.object({ kind: z.literal('not_taken'), refusal }),
  z.object({ kind: z.literal('busy') }),
  z.object({
    kind: z.literal('unavailable'),
    // Earlier versions of the program do not say it.
    effect: z.enum(['none', 'unknown']).default('unknown'),
    cause: z.string(),
  }),
  z.object({ kind: z.literal('failed'), cause: z.string() }),
]) satisfies z.ZodType<OwnerAnswer>;

/** The owner's answer to a frame. */
export const ownerAnswers = z.object({
  /** In the order of the facts. */
  answers: z.array(ownerAnswer),
  /** The owner's last journal position. */
  position: z.int(),
});
export type OwnerAnswers = z.infer<typeof ownerAnswers>;
