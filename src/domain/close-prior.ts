import type { HashKey } from './ids.ts';
import { plus, ZERO, type Amount } from './amount.ts';
import type { ClosedDay, CloseRecord } from './close-record.ts';
import type { PriorDayItem } from './close-report.ts';
import {
  CATEGORIES,
  placeKey,
  type Effects,
  type Place,
  type PositionLine,
} from './roll-forward.ts';

/** What tells a late movement from one of the day. */
export interface PriorDayContext {
  readonly previous: ClosedDay;
  readonly throughSeq: number;
  /** When the event behind a fact happened, as its sender says; null where nobody does. */
  readonly eventAt: (seq: number) => number | null;
  /** The closed day that a moment falls into. */
  readonly closedDayOf: (at: number) => string;
  readonly rules: CloseRecord['rules'];
}

interface Lateness {
  readonly reason: PriorDayItem['reason'];
  readonly at: number;
  readonly eventAt: number | null;
  readonly detail: string;
}

/** Why an entry of this day belongs to a closed one, or undefined when it does not. */
function latenessOf(
  entry: PositionLine,
  lines: readonly PositionLine[],
  context: PriorDayContext,
): Lateness | undefined {
  const { previous, eventAt } = context;
  const closed = (line: PositionLine): boolean => line.seq <= previous.throughSeq;
  const takenBack = lines.filter((line) => line.seq === entry.seq);
  const original = lines.find(
    (line) => closed(line) && takenBack.some(({ reverses }) => reverses === line.entryId),
  );
  const event = eventAt(entry.seq);
  if (original !== undefined) {
    const verb = entry.reverses === null ? 'restates' : 'takes back';
    const detail = `${verb} entry ${original.entryId}`;
    return { reason: 'reversal', at: original.postedAt, eventAt: event, detail };
  }
  if (event !== null && event < previous.cutOffAt) {
    return { reason: 'late_event', at: event, eventAt: event, detail: 'told after the cut-off' };
  }
  if (entry.postedAt < previous.cutOffAt) {
    const detail = 'recorded with a time before the cut-off, after it had passed';
    return { reason: 'recorded_late', at: entry.postedAt, eventAt: event, detail };
  }
  const seen = lines.find((line) => line.view === 'chain' && closed(line));
  if (entry.cause === 'suspense' && seen !== undefined) {
    const detail = 'books a movement that the chain showed before';
    return { reason: 'suspense', at: seen.postedAt, eventAt: event, detail };
  }
  return undefined;
}

/** Leaves out entries that were taken back by others of these, and those that take them back. */
function withoutUndone(lines: readonly PositionLine[]): PositionLine[] {
  const entries = new Set(lines.map(({ entryId }) => entryId));
  const takenBack = new Set(lines.map(({ reverses }) => reverses));
  return lines.filter(
    ({ entryId, reverses }) =>
      !takenBack.has(entryId) && (reverses === null || !entries.has(reverses)),
  );
}

function sumsByPlace(lines: readonly PositionLine[]): { place: Place; amount: Amount }[] {
  const sums = new Map<string, { place: Place; amount: Amount }>();
  for (const { vaultId, asset, amount } of lines) {
    const key = placeKey({ vaultId, asset });
    const known = sums.get(key)?.amount ?? ZERO;
    sums.set(key, { place: { vaultId, asset }, amount: plus(known, amount) });
  }
  return [...sums.values()];
}

function movesText(effects: Effects): string {
  return CATEGORIES.filter((category) => effects[category] !== ZERO)
    .map((category) => `${category} ${effects[category] > ZERO ? '+' : ''}${effects[category]}`)
    .join(', ');
}

/**
 * The movements of one hash that are counted in this day and belong to a closed one. `moved`: what
 * the day counts for it, by place.
 */
export function priorDayItems(
  hash: HashKey,
  lines: readonly PositionLine[],
  context: PriorDayContext & {
    moved: readonly { readonly place: Place; readonly effects: Effects }[];
  },
): PriorDayItem[] {
  const { previous, throughSeq, moved, closedDayOf } = context;
  const { network, blockchainHash } = hash;
  const books = lines.filter((line) => line.view === 'books');
  const today = books.filter(({ seq }) => seq > previous.throughSeq && seq <= throughSeq);
  // What was booked and taken back within the day leaves nothing that belongs to another one.
  const counted = context.rules === undefined ? today : withoutUndone(today);
  const entries = new Map(counted.map((line) => [line.entryId, line]));
  const late = [...entries.values()].flatMap((entry) => {
    const why = latenessOf(entry, lines, context);
    if (why === undefined) return [];
    const eventAt = why.eventAt === null ? null : new Date(why.eventAt).toISOString();
    const own = today.filter(({ entryId }) => entryId === entry.entryId);
    return sumsByPlace(own).map(({ place, amount }) => ({
      reason: why.reason,
      day: closedDayOf(why.at),
      vaultId: place.vaultId,
      network,
      blockchainHash,
      asset: place.asset,
      amount: amount.toString(),
      entryId: entry.entryId,
      eventAt,
      detail: why.detail,
    }));
  });
  const first = books.find(({ seq }) => seq <= previous.throughSeq);
  if (first === undefined) return late;
  const touched = new Set(today.map(placeKey));
  const reclassified = moved
    .filter(({ place }) => !touched.has(placeKey(place)))
    .map(({ place, effects }) => ({
      reason: 'reclassified' as const,
      day: closedDayOf(first.postedAt),
      vaultId: place.vaultId,
      network,
      blockchainHash,
      asset: place.asset,
      amount: '0',
      entryId: null,
      eventAt: null,
      detail: `what was counted then belongs elsewhere now: ${movesText(effects)}`,
    }));
  return [...late, ...reclassified];
}
