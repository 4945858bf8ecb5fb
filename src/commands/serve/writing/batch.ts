import type { Notification } from '../../../domain/notification.ts';
import {
  BLOCK_BYTES_MAX,
  BLOCK_FACTS_MAX,
  packedBlock,
  type BodyBlock,
  type PackedBody,
} from '../../../store/body-block.ts';
import type { DecodeBody, Delivery, FactOutcome, Submission } from '../../../store/port.ts';
import { notificationsIn, textOf } from './notification-text.ts';
import { DELIVERY_CODES, OTHER, type Batch, type FromWriter, type Placed } from './messages.ts';

/** By code. */
const DELIVERED: readonly FactOutcome[] = DELIVERY_CODES.map((status) => ({
  kind: 'delivery',
  status,
}));

const HEAD_SIZE = 2;
const NOT_A_DELIVERY = -1;

/** A fact that was read already crosses as the bytes that it was read from: its digest is code. */
function portable(submission: Submission): Submission {
  if (submission.kind !== 'notification' && submission.kind !== 'quarantined') return submission;
  return { kind: 'delivery', at: submission.at, raw: submission.raw };
}

function isPlain(submission: Submission): submission is Delivery {
  return submission.kind === 'delivery' && submission.defect === undefined;
}

/**
 * Packs the bodies of every sixteen neighbours, so that the writer need not; what is left over joins
 * others there.
 */
function blocksOf(heads: Float64Array, bodies: Uint8Array): Placed<BodyBlock>[] {
  const blocks: Placed<BodyBlock>[] = [];
  let first = 0;
  let start = 0;
  let end = 0;
  for (let index = 0; index < heads.length / HEAD_SIZE; index += 1) {
    const length = heads[index * HEAD_SIZE + 1] ?? 0;
    if (length === NOT_A_DELIVERY || end + length - start > BLOCK_BYTES_MAX) {
      first = length === NOT_A_DELIVERY ? index + 1 : index;
      start = end;
    }
    end += Math.max(length, 0);
    if (index - first + 1 < BLOCK_FACTS_MAX) continue;
    blocks.push({ index: first, item: packedBlock(bodies.subarray(start, end)) });
    first = index + 1;
    start = end;
  }
  return blocks;
}

/** How long the names of places are that its changes tell. A notification's own is that of each. */
function placesLength({ changes }: Notification): number {
  let length = 0;
  for (const { accountId, addressId } of changes ?? []) {
    length += (accountId?.length ?? 0) + (addressId?.length ?? 0);
  }
  return length;
}

/**
 * What a body says; null where the writer is to find that out: it is no notification, or so large that
 * whoever else talks to this thread would wait for it, or as text it would be hundreds of times as
 * long, because it names a long place once for hundreds of changes.
 */
function notificationIn(raw: Uint8Array, decode: DecodeBody): Notification | null {
  if (raw.length > BLOCK_BYTES_MAX) return null;
  const decoded = decode(raw);
  if (decoded.kind !== 'notification') return null;
  const { notification } = decoded;
  return placesLength(notification) > raw.length ? null : notification;
}

/** Puts a batch together: hundreds of bodies cross as one buffer, without a copy on the way. */
export function packed(id: number, submissions: readonly Submission[], decode: DecodeBody): Batch {
  const all = submissions.map(portable);
  const heads = new Float64Array(all.length * HEAD_SIZE);
  const others: Placed<Submission>[] = [];
  let length = 0;
  for (const one of all) if (isPlain(one)) length += one.raw.length;
  const bodies = new Uint8Array(length);
  let end = 0;
  for (const [index, one] of all.entries()) {
    if (!isPlain(one)) {
      heads[index * HEAD_SIZE + 1] = NOT_A_DELIVERY;
      others.push({ index, item: one });
      continue;
    }
    heads[index * HEAD_SIZE] = one.at;
    heads[index * HEAD_SIZE + 1] = one.raw.length;
    bodies.set(one.raw, end);
    end += one.raw.length;
  }
  const notifications = textOf(
    all.map((one) => (isPlain(one) ? notificationIn(one.raw, decode) : null)),
  );
  return { id, heads, bodies, others, notifications, blocks: blocksOf(heads, bodies) };
}

/** What of a batch changes hands. */
export function transferred({ heads, bodies, blocks }: Batch): ArrayBuffer[] {
  return [heads.buffer, bodies.buffer, ...blocks.map(({ item }) => item.content.buffer)];
}

export function factsOf({ heads }: Batch): number {
  return heads.length / HEAD_SIZE;
}

/** Where the bodies of a batch are packed, by the place of each delivery. */
function packedBodies({ heads, blocks }: Batch): Map<number, PackedBody> {
  const bodies = new Map<number, PackedBody>();
  for (const { index: first, item: block } of blocks) {
    let start = 0;
    for (let index = first; index < first + BLOCK_FACTS_MAX; index += 1) {
      bodies.set(index, { block, start });
      start += heads[index * HEAD_SIZE + 1] ?? 0;
    }
  }
  return bodies;
}

/** The submissions of a batch, in their order. */
export function unpacked(batch: Batch): Submission[] {
  const { heads, bodies, others } = batch;
  const byPlace = new Map(others.map(({ index, item }) => [index, item]));
  const packedAt = packedBodies(batch);
  const notifications = notificationsIn(batch.notifications);
  const all: Submission[] = [];
  let start = 0;
  for (let index = 0; index < factsOf(batch); index += 1) {
    const other = byPlace.get(index);
    if (other !== undefined) {
      all.push(other);
      continue;
    }
    const at = heads[index * HEAD_SIZE] ?? 0;
    const length = heads[index * HEAD_SIZE + 1] ?? 0;
    const raw = bodies.subarray(start, start + length);
    const notification = notifications[index] ?? undefined;
    all.push({ kind: 'delivery', at, raw, packed: packedAt.get(index), notification });
    start += length;
  }
  return all;
}

/** How the facts of a transaction ended: a byte for each delivery, and whatever else there is to say. */
export function packedOutcomes(outcomes: readonly FactOutcome[]): {
  codes: Uint8Array;
  others: readonly Placed<FactOutcome>[];
} {
  const codes = new Uint8Array(outcomes.length);
  const others: Placed<FactOutcome>[] = [];
  for (const [index, outcome] of outcomes.entries()) {
    codes[index] = outcome.kind === 'delivery' ? DELIVERY_CODES.indexOf(outcome.status) : OTHER;
    if (outcome.kind !== 'delivery') others.push({ index, item: outcome });
  }
  return { codes, others };
}

/** How the facts of each batch of a transaction ended. */
export function outcomesByBatch({
  parts,
  codes,
  others,
}: Extract<FromWriter, { kind: 'committed' }>): { id: number; outcomes: FactOutcome[] }[] {
  const outcomes = unpackedOutcomes(codes, others);
  let end = 0;
  return parts.map(({ id, facts }) => {
    end += facts;
    return { id, outcomes: outcomes.slice(end - facts, end) };
  });
}

function unpackedOutcomes(
  codes: Uint8Array,
  others: readonly Placed<FactOutcome>[],
): FactOutcome[] {
  const byPlace = new Map(others.map(({ index, item }) => [index, item]));
  return Array.from(codes, (code, index) => {
    const outcome = DELIVERED[code] ?? byPlace.get(index);
    if (outcome === undefined) throw new Error(`no outcome at place ${index} of a transaction`);
    return outcome;
  });
}
