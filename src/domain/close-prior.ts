import { plus, ZERO, type Amount } from './amount.ts';
import type { ClosedDay, CloseRecord } from './close-record.ts';
import type { HashFacts } from './close/hash-facts.ts';
import { reclassifiedOf } from './close/reclassified.ts';
import type { DatedBy, PriorDayItem } from './close-report.ts';
import {
  CATEGORIES,
  placeKey,
  type Effects,
  type Place,
  type PositionLine,
  type Totals,
} from './roll-forward.ts';

/** When an event happened, Unix milliseconds, and what says so. */
export interface EventTime {
  readonly at: number;
  readonly datedBy: DatedBy;
}

/** What tells a late movement from one of the day. */
export interface PriorDayContext {
  readonly previous: ClosedDay;
  readonly throughSeq: number;
  /** When the event behind a fact happened, as its sender says; null where nobody does. */
  readonly eventAt: (seq: number) => EventTime | null;
  /** The closed day that a moment falls into. */
  readonly closedDayOf: (at: number) => string;
  readonly rules: CloseRecord['rules'];
}

interface Lateness {
  readonly reason: PriorDayItem['reason'];
  readonly at: number;
  readonly event: EventTime | null;
  readonly detail: string;
}

/**
 * When what an entry books happened: by the custody API's transaction, whose time may be the block's,
 * else by the entry's own fact, which may only tell when it was delivered. Rules 1 know the fact
 * alone. What takes an entry back is dated by its fact: the transaction happened before.
 */
function eventOf(
  entry: PositionLine,
  { custody }: HashFacts,
  { eventAt, rules }: PriorDayContext,
): EventTime | null {
  const told = eventAt(entry.seq);
  if (rules === undefined || entry.reverses !== null || told?.datedBy === 'block') return told;
  const dated = custody.flatMap(({ at, datedBy, ...part }) =>
    at === null || datedBy === null ? [] : [{ ...part, at, datedBy }],
  );
  const isReceipt = entry.cause === 'incoming';
  const alike = dated.filter(
    ({ kind, vaultId }) => vaultId === entry.vaultId && (kind === 'outgoing') !== isReceipt,
  );
  const own = alike.find(({ transactionId }) => transactionId === entry.transactionId);
  const [found = own] = own === undefined ? alike : [own];
  return found === undefined ? told : { at: found.at, datedBy: found.datedBy };
}

/** Why an entry of this day belongs to a closed one, or undefined when it does not. */
function latenessOf(
  entry: PositionLine,
  facts: HashFacts,
  context: PriorDayContext,
): Lateness | undefined {
  const { lines } = facts;
  const { previous } = context;
  const closed = (line: PositionLine): boolean => line.seq <= previous.throughSeq;
  const takenBack = lines.filter((line) => line.seq === entry.seq);
  const original = lines.find(
    (line) => closed(line) && takenBack.some(({ reverses }) => reverses === line.entryId),
  );
  const event = eventOf(entry, facts, context);
  if (original !== undefined) {
    const verb = entry.reverses === null ? 'restates' : 'takes back';
    const detail = `${verb} entry ${original.entryId}`;
    return { reason: 'reversal', at: original.postedAt, event, detail };
  }
  if (event !== null && event.at < previous.cutOffAt) {
    return { reason: 'late_event', at: event.at, event, detail: 'told after the cut-off' };
  }
  if (entry.postedAt < previous.cutOffAt) {
    const detail = 'recorded with a time before the cut-off, after it had passed';
    return { reason: 'recorded_late', at: entry.postedAt, event, detail };
  }
  const seen = lines.find((line) => line.view === 'chain' && closed(line));
  if (entry.cause === 'suspense' && seen !== undefined) {
    const detail = 'books a movement that the chain showed before';
    return { reason: 'suspense', at: seen.postedAt, event, detail };
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
  hash: HashFacts,
  context: PriorDayContext & {
    moved: readonly { readonly place: Place; readonly effects: Effects }[];
    /** What the closed days counted for the hash. */
    before: Totals;
  },
): PriorDayItem[] {
  const { previous, throughSeq, moved, before, closedDayOf, rules } = context;
  const { network, blockchainHash, lines } = hash;
  const books = lines.filter((line) => line.view === 'books');
  const today = books.filter(({ seq }) => seq > previous.throughSeq && seq <= throughSeq);
  // What was booked and taken back within the day leaves nothing that belongs to another one.
  const counted = rules === undefined ? today : withoutUndone(today);
  const entries = new Map(counted.map((line) => [line.entryId, line]));
  const late = [...entries.values()].flatMap((entry) => {
    const why = latenessOf(entry, hash, context);
    if (why === undefined) return [];
    const eventAt = why.event === null ? null : new Date(why.event.at).toISOString();
    const datedBy = rules === undefined ? {} : { datedBy: why.event?.datedBy ?? null };
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
      ...datedBy,
    }));
  });
  const first = books.find(({ seq }) => seq <= previous.throughSeq);
  if (first === undefined) return late;
  const touched = new Set(today.map(placeKey));
  const elsewhere = moved.filter(({ place }) => !touched.has(placeKey(place)));
  const reclassified = elsewhere.flatMap(({ place, effects }) => {
    const item = {
      reason: 'reclassified' as const,
      day: closedDayOf(first.postedAt),
      vaultId: place.vaultId,
      network,
      blockchainHash,
      asset: place.asset,
    };
    const rest = { entryId: null, eventAt: null };
    if (rules === undefined) {
      const detail = `what was counted then belongs elsewhere now: ${movesText(effects)}`;
      return [{ ...item, amount: '0', ...rest, detail }];
    }
    return reclassifiedOf(before.effects(place), effects).map(({ amount, from, to }) => {
      const detail = `counted under ${from} then, and under ${to} now`;
      return { ...item, amount: amount.toString(), ...rest, detail, datedBy: null, from, to };
    });
  });
  return [...late, ...reclassified];
}
