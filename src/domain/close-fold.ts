import { plus, ZERO, type Amount } from './amount.ts';
import { unconfirmedOf, wordNow, wordOf, type WordRows } from './close/own-word.ts';
import type { DifferenceContext, HashFacts } from './close/hash-facts.ts';
import { afterCutOffRows, burnedFees, custodySide, PlaceSums } from './close/custody-figure.ts';
import { differencesOf } from './close-difference.ts';
import { priorDayItems, type EventTime } from './close-prior.ts';
import type { ClosedDay } from './close-record.ts';
import type {
  DailyReport,
  PriorDayItem,
  ReportAfterCutOff,
  ReportDifference,
  ReportInTransit,
  ReportUnconfirmed,
} from './close-report.ts';
import { groupedBy } from './grouped.ts';
import {
  CATEGORIES,
  classify,
  placeKey,
  Totals,
  type Effects,
  type HashWord,
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
  /** The last day that was compared with custody. */
  readonly compared: SealedDay | undefined;
  readonly eventAt: (seq: number) => EventTime | null;
  readonly closedDayOf: (at: number) => string;
}

/** What the hashes of a day come to, by place (`placeKey`) and, in the order of hashes, by hash. */
export interface DayFold {
  readonly effects: Totals;
  /** What the day's entries post in the books, and in the chain view. */
  readonly net: Map<string, Amount>;
  readonly chain: Map<string, Amount>;
  readonly inTransit: readonly ReportInTransit[];
  readonly unconfirmed: readonly ReportUnconfirmed[];
  readonly priorDay: readonly PriorDayItem[];
  readonly differences: readonly ReportDifference[];
  /** What custody moved after the cut-off, and burned fees that its side counts anew. */
  readonly afterCutOff: readonly ReportAfterCutOff[];
  readonly burned: ReadonlyMap<string, Amount>;
}

/** Names a hash of a network in a map. */
export function hashName({ network, blockchainHash }: HashName): string {
  return `${network}\u0000${blockchainHash}`;
}

export interface HashName {
  readonly network: string;
  readonly blockchainHash: string;
}

/** What a hash moved on a place. */
export interface Moved {
  readonly place: Place;
  readonly effects: Effects;
}

/** What one hash counts for in a day. */
interface HashFold extends Pick<DayFold, 'inTransit' | 'unconfirmed' | 'priorDay'> {
  readonly moved: readonly Moved[];
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

type Rows = Pick<DayFold, 'inTransit' | 'unconfirmed'>;

/** Finds what a report was made with for a hash. */
class Words {
  readonly #version: DailyReport['version'];
  readonly #inTransit: ReadonlyMap<string, readonly ReportInTransit[]>;
  readonly #unconfirmed: ReadonlyMap<string, readonly ReportUnconfirmed[]>;

  constructor(version: DailyReport['version'], { inTransit, unconfirmed }: Rows) {
    this.#version = version;
    this.#inTransit = groupedBy(inTransit, hashName);
    this.#unconfirmed = groupedBy(unconfirmed, hashName);
  }

  of(hash: HashName, books: readonly PositionLine[]): HashWord {
    const name = hashName(hash);
    const rows: WordRows = {
      version: this.#version,
      inTransit: this.#inTransit.get(name) ?? [],
      unconfirmed: this.#unconfirmed.get(name) ?? [],
    };
    return wordOf(rows, books);
  }
}

function wordsIn(report: DailyReport | undefined): Words {
  const { version = 1, inTransit = [], unconfirmed = [] } = report ?? {};
  return new Words(version, { inTransit, unconfirmed });
}

class Folder {
  readonly #context: FoldContext;
  readonly #after: number;
  readonly #before: Words;

  constructor(context: FoldContext) {
    this.#context = context;
    this.#after = context.previous?.throughSeq ?? 0;
    this.#before = wordsIn(context.previous?.report);
  }

  /** The lines of the books of a hash at the cut-off. */
  books({ lines }: HashFacts): PositionLine[] {
    return booksAt(this.#context.record.throughSeq, lines);
  }

  /** `word`: what is known of the hash now, unless told otherwise. */
  hash(
    facts: HashFacts,
    books = this.books(facts),
    word = wordNow(facts, books, this.#context.record),
  ): HashFold {
    const { record, previous, eventAt, closedDayOf } = this.#context;
    const { throughSeq } = record;
    const { network, blockchainHash } = facts;
    const known = books.filter((line) => line.seq <= this.#after);
    const before = classify(known, this.#before.of(facts, known));
    const now = classify(books, word);
    const moved = changeOf(before.totals, now.totals);
    const isNumbered = record.rules !== undefined;
    const inTransit = now.inTransit.map(({ kind, leg, vaultId, asset, amount }) => {
      const shown = { kind, vaultId, network, blockchainHash, asset, amount: amount.toString() };
      return isNumbered ? { ...shown, leg } : shown;
    });
    const unconfirmed = isNumbered ? unconfirmedOf(facts, books, word) : [];
    const found = { moved, inTransit, unconfirmed };
    if (previous === undefined) return { ...found, priorDay: [] };
    const { rules } = record;
    const context = { previous, throughSeq, eventAt, closedDayOf, rules, moved };
    return { ...found, priorDay: priorDayItems(facts, { ...context, before: before.totals }) };
  }

  /** Burned fees that custody's side counts since the last comparison; rules 1 counted none there. */
  burn({ lines }: HashFacts, burned: PlaceSums): void {
    const { record, compared } = this.#context;
    if (record.rules === undefined) return;
    const counted = compared?.report.version === 2 ? compared.throughSeq : 0;
    const now = lines.filter(({ seq }) => seq <= record.throughSeq);
    const before = lines.filter(({ seq }) => seq <= counted);
    for (const part of burnedFees(now)) burned.move(part, 1n);
    for (const part of burnedFees(before)) burned.move(part, -1n);
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
  const unconfirmed: ReportUnconfirmed[] = [];
  const priorDay: PriorDayItem[] = [];
  const differences: ReportDifference[] = [];
  const afterCutOff: ReportAfterCutOff[] = [];
  const burned = new PlaceSums();
  for (const facts of hashes) {
    const folded = folder.hash(facts);
    for (const row of folded.moved) effects.move(row, 1n);
    for (const line of facts.lines) folder.sum(line, sums);
    inTransit.push(...folded.inTransit);
    unconfirmed.push(...folded.unconfirmed);
    priorDay.push(...folded.priorDay);
    differences.push(...differencesOf(facts, context));
    afterCutOff.push(...afterCutOffRows(facts, custodySide(facts, context.record).after));
    folder.burn(facts, burned);
  }
  const rows = { inTransit, unconfirmed, priorDay, differences, afterCutOff };
  return { effects, ...sums, ...rows, burned };
}

/**
 * What hashes moved in a day that is closed, from their lines and two sealed reports: the day's own
 * and the one before it. The sums by place and category are the figures of the report.
 */
export class ClosedFold {
  readonly #afterSeq: number;
  readonly #throughSeq: number;
  readonly #before: Words;
  readonly #now: Words;

  constructor(report: DailyReport, previous: DailyReport | undefined) {
    this.#afterSeq = report.journal.afterSeq;
    this.#throughSeq = report.journal.throughSeq;
    this.#before = wordsIn(previous);
    this.#now = wordsIn(report);
  }

  moved(hash: HashName, lines: readonly PositionLine[]): readonly Moved[] {
    const books = booksAt(this.#throughSeq, lines);
    const known = booksAt(this.#afterSeq, lines);
    const before = classify(known, this.#before.of(hash, known));
    const now = classify(books, this.#now.of(hash, books));
    return changeOf(before.totals, now.totals);
  }
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
 * does not change any more: only what is known of a hash beside them can have changed, and what
 * explains a difference.
 */
export function amendFold(
  fold: DayFold,
  hashes: Iterable<HashFacts>,
  context: FoldContext,
): DayFold {
  const folder = new Folder(context);
  const told = new Words(context.record.rules ?? 1, fold);
  const { effects } = fold;
  const inTransit = new Map<string, readonly ReportInTransit[]>();
  const unconfirmed = new Map<string, readonly ReportUnconfirmed[]>();
  const priorDay = new Map<string, readonly PriorDayItem[]>();
  const differences = new Map<string, readonly ReportDifference[]>();
  for (const facts of hashes) {
    const name = hashName(facts);
    const books = folder.books(facts);
    const before = folder.hash(facts, books, told.of(facts, books));
    const now = folder.hash(facts, books);
    for (const row of before.moved) effects.move(row, -1n);
    for (const row of now.moved) effects.move(row, 1n);
    inTransit.set(name, now.inTransit);
    unconfirmed.set(name, now.unconfirmed);
    priorDay.set(name, now.priorDay);
    differences.set(name, differencesOf(facts, context));
  }
  return {
    ...fold,
    inTransit: replaced(fold.inTransit, inTransit),
    unconfirmed: replaced(fold.unconfirmed, unconfirmed),
    priorDay: replaced(fold.priorDay, priorDay),
    differences: replaced(fold.differences, differences),
  };
}
