import { ZERO } from '../money/amount.ts';
import type { ClosedDay, CloseRecord } from './record.ts';
import type { HashFacts } from './hash-facts.ts';
import { reclassifiedOf } from './reclassified.ts';
import type { DatedBy, PriorDayItem } from './report.ts';
import {
  CATEGORIES,
  sumsByVaultAsset,
  vaultAssetKey,
  type Effects,
  type VaultAsset,
  type PositionLine,
  type Totals,
} from '../money/roll-forward.ts';

/** When an event happened, Unix milliseconds, and the source of that time. */
export interface EventTime {
  readonly at: number;
  readonly datedBy: DatedBy;
}

/** What distinguishes a late movement from one of the day. */
export interface PriorDayContext {
  readonly previous: ClosedDay;
  readonly throughSeq: number;
  /** When a fact's event happened, by its sender; null when unknown. */
  readonly eventAt: (seq: number) => EventTime | null;
  /** The closed day of a moment. */
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
 * When an entry's event happened: the custody API transaction's time, preferably its block's;
 * otherwise the time in the entry's own fact, which may only be the delivery. Rules 1 read the fact
 * alone. A reversal takes its fact's time: the transaction itself was earlier.
 */
function eventOf(
  entry: PositionLine,
  { custody }: HashFacts,
  { eventAt, rules }: PriorDayContext,
): EventTime | null {
  const factTime = eventAt(entry.seq);
  if (rules === undefined || entry.reverses !== null || factTime?.datedBy === 'block')
    return factTime;
  const dated = custody.flatMap(({ at, datedBy, ...part }) =>
    at === null || datedBy === null ? [] : [{ ...part, at, datedBy }],
  );
  const isReceipt = entry.cause === 'incoming';
  const alike = dated.filter(
    ({ kind, vaultId }) => vaultId === entry.vaultId && (kind === 'outgoing') !== isReceipt,
  );
  const own = alike.find(({ transactionId }) => transactionId === entry.transactionId);
  const found = own ?? alike[0];
  return found === undefined ? factTime : { at: found.at, datedBy: found.datedBy };
}

/** Why an entry of this day belongs to a closed one; undefined when it does not. */
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

/** Leaves out entries that others of the day reversed, and their reversals. */
function withoutUndone(lines: readonly PositionLine[]): PositionLine[] {
  const entries = new Set<number | null>(lines.map(({ entryId }) => entryId));
  const takenBack = new Set(lines.map(({ reverses }) => reverses));
  return lines.filter(({ entryId, reverses }) => !takenBack.has(entryId) && !entries.has(reverses));
}

function movesText(effects: Effects): string {
  return CATEGORIES.filter((category) => effects[category] !== ZERO)
    .map((category) => `${category} ${effects[category] > ZERO ? '+' : ''}${effects[category]}`)
    .join(', ');
}

/**
 * The movements of one hash that this day counts and that belong to a closed day. `moved`: what the
 * day counts for the hash, by vault and asset.
 */
export function priorDayItems(
  hash: HashFacts,
  context: PriorDayContext & {
    moved: readonly { readonly vaultAsset: VaultAsset; readonly effects: Effects }[];
    /** What the closed days counted for the hash. */
    before: Totals;
  },
): PriorDayItem[] {
  const { previous, throughSeq, moved, before, closedDayOf, rules } = context;
  const { network, blockchainHash, lines } = hash;
  const books = lines.filter((line) => line.view === 'books');
  const today = books.filter(({ seq }) => seq > previous.throughSeq && seq <= throughSeq);
  // An entry booked and reversed within the day belongs to no other day.
  const counted = rules === undefined ? today : withoutUndone(today);
  const entries = new Map(counted.map((line) => [line.entryId, line]));
  const late = [...entries.values()].flatMap((entry) => {
    const why = latenessOf(entry, hash, context);
    if (why === undefined) return [];
    const eventAt = why.event === null ? null : new Date(why.event.at).toISOString();
    const datedBy = rules === undefined ? {} : { datedBy: why.event?.datedBy ?? null };
    const own = today.filter(({ entryId }) => entryId === entry.entryId);
    return sumsByVaultAsset(own).map(({ vaultId, asset, amount }) => ({
      reason: why.reason,
      day: closedDayOf(why.at),
      vaultId,
      network,
      blockchainHash,
      asset,
      amount: amount.toString(),
      entryId: entry.entryId,
      eventAt,
      detail: why.detail,
      ...datedBy,
    }));
  });
  const first = books.find(({ seq }) => seq <= previous.throughSeq);
  if (first === undefined) return late;
  const touched = new Set(today.map(vaultAssetKey));
  const elsewhere = moved.filter(({ vaultAsset }) => !touched.has(vaultAssetKey(vaultAsset)));
  const reclassified = elsewhere.flatMap(({ vaultAsset, effects }) => {
    const item = {
      reason: 'reclassified' as const,
      day: closedDayOf(first.postedAt),
      vaultId: vaultAsset.vaultId,
      network,
      blockchainHash,
      asset: vaultAsset.asset,
    };
    const rest = { entryId: null, eventAt: null };
    if (rules === undefined) {
      const detail = `what was counted then belongs elsewhere now: ${movesText(effects)}`;
      return [{ ...item, amount: '0', ...rest, detail }];
    }
    return reclassifiedOf(before.effects(vaultAsset), effects).map(({ amount, from, to }) => {
      const detail = `counted under ${from} then, and under ${to} now`;
      return { ...item, amount: amount.toString(), ...rest, detail, datedBy: null, from, to };
    });
  });
  return [...late, ...reclassified];
}
