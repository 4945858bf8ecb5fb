import { plus, ZERO, type Amount } from './amount.ts';
import { differencesOf, type DifferenceContext, type HashFacts } from './close-difference.ts';
import { priorDayItems } from './close-prior.ts';
import type { ClosedDay } from './close-record.ts';
import type {
  DailyReport,
  PriorDayItem,
  ReportDifference,
  ReportInTransit,
} from './close-report.ts';
import type { HashKey } from './ids.ts';
import {
  CATEGORIES,
  classify,
  isOwnByBooks,
  placeKey,
  Totals,
  type Effects,
  type Place,
  type PositionLine,
} from './roll-forward.ts';

/** A closed day with what its successors go on from. */
export interface SealedDay extends ClosedDay {
  readonly report: DailyReport;
  readonly reportHash: string;
}

/** What a day's hashes are looked at with. */
export interface FoldContext extends DifferenceContext {
  readonly previous: SealedDay | undefined;
  readonly eventAt: (seq: number) => number | null;
  readonly closedDayOf: (at: number) => string;
}

/** What the hashes of a day come to, by place (`placeKey`) and, in the order of hashes, by hash. */
export interface DayFold {
  readonly effects: Totals;
  /** What the day's entries post in the books, and in the chain view. */
  readonly net: Map<string, Amount>;
  readonly chain: Map<string, Amount>;
  readonly inTransit: readonly ReportInTransit[];
  readonly priorDay: readonly PriorDayItem[];
  readonly differences: readonly ReportDifference[];
  /** Hashes that were taken for an own transaction's by word alone, and count otherwise for it. */
  readonly own: ReadonlyMap<string, HashKey>;
}

/** Names a hash of a network in a map. */
export function hashName({ network, blockchainHash }: HashName): string {
  return `${network}\u0000${blockchainHash}`;
}

interface HashName {
  readonly network: string;
  readonly blockchainHash: string;
}

interface Moved {
  readonly place: Place;
  readonly effects: Effects;
}

/** What one hash counts for in a day. */
interface HashFold {
  readonly moved: readonly Moved[];
  readonly inTransit: readonly ReportInTransit[];
  readonly priorDay: readonly PriorDayItem[];
}

function isMoved({ effects }: Moved): boolean {
  return CATEGORIES.some((category) => effects[category] !== ZERO);
}

/** What changed between two classifications of a hash. */
function changeOf(before: Totals, now: Totals): readonly Moved[] {
  const moved = new Totals();
  for (const row of now.rows()) moved.move(row, 1n);
  for (const row of before.rows()) moved.move(row, -1n);
  return moved.rows().filter(isMoved);
}

/** Lines of the books up to the cut-off. */
function booksAt(throughSeq: number, lines: readonly PositionLine[]): PositionLine[] {
  return lines.filter((line) => line.view === 'books' && line.seq <= throughSeq);
}

/** Whether it makes a difference that a hash is known for an own transaction's. */
function countsByWord(books: readonly PositionLine[]): boolean {
  return books.some(({ cause }) => cause === 'incoming') && !isOwnByBooks(books);
}

class Folder {
  readonly #context: FoldContext;
  readonly #after: number;
  readonly #ownBefore: ReadonlySet<string>;

  constructor(context: FoldContext) {
    this.#context = context;
    this.#after = context.previous?.throughSeq ?? 0;
    const known = context.previous?.report.inTransit ?? [];
    this.#ownBefore = new Set(known.filter(({ kind }) => kind === 'internal').map(hashName));
  }

  hash(facts: HashFacts): HashFold {
    const { record, previous, eventAt, closedDayOf } = this.#context;
    const { throughSeq } = record;
    const { network, blockchainHash, lines } = facts;
    const books = booksAt(throughSeq, lines);
    const known = books.filter((line) => line.seq <= this.#after);
    const before = classify(known, this.#ownBefore.has(hashName(facts)));
    const now = classify(books, facts.own);
    const moved = changeOf(before.totals, now.totals);
    const inTransit = now.inTransit.map(({ kind, vaultId, asset, amount }) => {
      const shown = { kind, vaultId, network, blockchainHash, asset };
      return { ...shown, amount: amount.toString() };
    });
    if (previous === undefined) return { moved, inTransit, priorDay: [] };
    const context = { previous, throughSeq, eventAt, closedDayOf, moved };
    return { moved, inTransit, priorDay: priorDayItems(facts, lines, context) };
  }

  sum(line: PositionLine, { net, chain }: Pick<DayFold, 'net' | 'chain'>): void {
    if (line.seq <= this.#after || line.seq > this.#context.record.throughSeq) return;
    const sums = line.view === 'books' ? net : chain;
    const key = placeKey(line);
    sums.set(key, plus(sums.get(key) ?? ZERO, line.amount));
  }
}

/** Folds the hashes of a day, each with all that is known of it. */
export function foldDay(hashes: Iterable<HashFacts>, context: FoldContext): DayFold {
  const folder = new Folder(context);
  const effects = new Totals();
  const sums = { net: new Map<string, Amount>(), chain: new Map<string, Amount>() };
  const inTransit: ReportInTransit[] = [];
  const priorDay: PriorDayItem[] = [];
  const differences: ReportDifference[] = [];
  const own = new Map<string, HashKey>();
  for (const facts of hashes) {
    const { network, blockchainHash, lines } = facts;
    const folded = folder.hash(facts);
    for (const row of folded.moved) effects.move(row, 1n);
    for (const line of lines) folder.sum(line, sums);
    inTransit.push(...folded.inTransit);
    priorDay.push(...folded.priorDay);
    differences.push(...differencesOf(facts, context));
    if (facts.own && countsByWord(booksAt(context.record.throughSeq, lines))) {
      own.set(hashName(facts), { network, blockchainHash });
    }
  }
  return { effects, ...sums, inTransit, priorDay, differences, own };
}

/** As SQLite compares text: by code points, which are in the order of their UTF-8 bytes. */
export function byCodePoint(left: string, right: string): number {
  if (left === right) return 0;
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at += 1) {
    const apart = (left.codePointAt(at) ?? 0) - (right.codePointAt(at) ?? 0);
    if (apart !== 0) return apart;
  }
  return left.length - right.length;
}

/** Puts rows of some hashes in the place of those that these hashes had. */
function replaced<Row extends HashName>(
  rows: readonly Row[],
  fresh: ReadonlyMap<string, readonly Row[]>,
): readonly Row[] {
  if (fresh.size === 0) return rows;
  return [...rows.filter((row) => !fresh.has(hashName(row))), ...[...fresh.values()].flat()].sort(
    (left, right) =>
      byCodePoint(left.blockchainHash, right.blockchainHash) ||
      byCodePoint(left.network, right.network),
  );
}

/**
 * A fold as it is when some of its hashes are looked at anew. What the entries up to the cut-off are
 * does not change any more: a hash can only have become an own transaction's by word, or ceased to
 * be one, and what explains a difference can have moved.
 */
export function amendFold(
  fold: DayFold,
  hashes: Iterable<HashFacts>,
  context: FoldContext,
): DayFold {
  const folder = new Folder(context);
  const { effects } = fold;
  const inTransit = new Map<string, readonly ReportInTransit[]>();
  const priorDay = new Map<string, readonly PriorDayItem[]>();
  const differences = new Map<string, readonly ReportDifference[]>();
  const own = new Map(fold.own);
  for (const facts of hashes) {
    const name = hashName(facts);
    const { network, blockchainHash } = facts;
    differences.set(name, differencesOf(facts, context));
    if (!countsByWord(booksAt(context.record.throughSeq, facts.lines))) continue;
    const before = folder.hash({ ...facts, own: fold.own.has(name) });
    const now = folder.hash(facts);
    for (const row of before.moved) effects.move(row, -1n);
    for (const row of now.moved) effects.move(row, 1n);
    inTransit.set(name, now.inTransit);
    priorDay.set(name, now.priorDay);
    if (facts.own) own.set(name, { network, blockchainHash });
    else own.delete(name);
  }
  return {
    ...fold,
    inTransit: replaced(fold.inTransit, inTransit),
    priorDay: replaced(fold.priorDay, priorDay),
    differences: replaced(fold.differences, differences),
    own,
  };
}
