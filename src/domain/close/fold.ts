import { plus, ZERO, type Amount } from '../money/amount.ts';
import { unconfirmedOf, originNow, originInReport, type OriginRows } from './hash-origin.ts';
import type { DifferenceContext, HashFacts } from './hash-facts.ts';
import {
  afterCutOffRows,
  burnedFees,
  custodySide,
  VaultAssetSums,
} from './difference/custody-figure.ts';
import { differencesOf } from './difference/difference.ts';
import { priorDayItems, type EventTime } from './prior-day.ts';
import type { ClosedDay } from './record.ts';
import type {
  DailyReport,
  PriorDayItem,
  ReportAfterCutOff,
  ReportDifference,
  ReportInTransit,
  ReportUnconfirmed,
} from './report.ts';
import { groupedBy } from '../grouped.ts';
import {
  CATEGORIES,
  classify,
  vaultAssetKey,
  Totals,
  type Effects,
  type HashOrigin,
  type VaultAsset,
  type PositionLine,
} from '../money/roll-forward.ts';

/** A closed day with the figures that its successors carry forward. */
export interface SealedDay extends ClosedDay {
  readonly report: DailyReport;
  readonly reportHash: string;
}

/** What folding a day reads. */
export interface FoldContext extends DifferenceContext {
  readonly previous: SealedDay | undefined;
  /** The last day compared with custody. */
  readonly compared: SealedDay | undefined;
  readonly eventAt: (seq: number) => EventTime | null;
  readonly closedDayOf: (at: number) => string;
}

/** A day's folded hashes: sums by `vaultAssetKey`, and rows in the order of hashes. */
export interface DayFold {
  readonly effects: Totals;
  /** The sums of the day's entries, in the books and in the chain view. */
  readonly net: Map<string, Amount>;
  readonly chain: Map<string, Amount>;
  readonly inTransit: readonly ReportInTransit[];
  readonly unconfirmed: readonly ReportUnconfirmed[];
  readonly priorDay: readonly PriorDayItem[];
  readonly differences: readonly ReportDifference[];
  /** Movements at custody after the cut-off, and burned fees that the custody side adds. */
  readonly afterCutOff: readonly ReportAfterCutOff[];
  readonly burned: ReadonlyMap<string, Amount>;
}

/** A text key of a hash on its network, for maps. */
export function hashName({ network, blockchainHash }: HashName): string {
  return `${network}\u0000${blockchainHash}`;
}

export interface HashName {
  readonly network: string;
  readonly blockchainHash: string;
}

/** A hash's effects on one vault and asset. */
export interface Moved {
  readonly vaultAsset: VaultAsset;
  readonly effects: Effects;
}

/** What one hash counts for in a day. */
interface HashFold extends Pick<DayFold, 'inTransit' | 'unconfirmed' | 'priorDay'> {
  readonly moved: readonly Moved[];
}

function isMoved({ effects }: Moved): boolean {
  return CATEGORIES.some((category) => effects[category] !== ZERO);
}

/** The change between two classifications of a hash. */
function changeOf(before: Totals, now: Totals): readonly Moved[] {
  const moved = new Totals();
  for (const row of now.rows()) moved.move(row, 1n);
  for (const row of before.rows()) moved.move(row, -1n);
  return moved.rows().filter(isMoved);
}

/** The lines of the books up to the cut-off. */
function booksAt(throughSeq: number, lines: readonly PositionLine[]): PositionLine[] {
  return lines.filter((line) => line.view === 'books' && line.seq <= throughSeq);
}

type Rows = Pick<DayFold, 'inTransit' | 'unconfirmed'>;

/** The origin of each hash, as one report recorded it. */
class Origins {
  readonly #version: DailyReport['version'];
  readonly #inTransit: ReadonlyMap<string, readonly ReportInTransit[]>;
  readonly #unconfirmed: ReadonlyMap<string, readonly ReportUnconfirmed[]>;

  constructor(version: DailyReport['version'], { inTransit, unconfirmed }: Rows) {
    this.#version = version;
    this.#inTransit = groupedBy(inTransit, hashName);
    this.#unconfirmed = groupedBy(unconfirmed, hashName);
  }

  of(hash: HashName, books: readonly PositionLine[]): HashOrigin {
    const name = hashName(hash);
    const rows: OriginRows = {
      version: this.#version,
      inTransit: this.#inTransit.get(name) ?? [],
      unconfirmed: this.#unconfirmed.get(name) ?? [],
    };
    return originInReport(rows, books);
  }
}

function originsIn(report: DailyReport | undefined): Origins {
  const { version = 1, inTransit = [], unconfirmed = [] } = report ?? {};
  return new Origins(version, { inTransit, unconfirmed });
}

class Folder {
  readonly #context: FoldContext;
  readonly #after: number;
  readonly #before: Origins;

  constructor(context: FoldContext) {
    this.#context = context;
    this.#after = context.previous?.throughSeq ?? 0;
    this.#before = originsIn(context.previous?.report);
  }

  /** Folds one hash by what is known of it now. */
  hash(facts: HashFacts): HashFold {
    const { record, previous, eventAt, closedDayOf } = this.#context;
    const { throughSeq } = record;
    const books = booksAt(throughSeq, facts.lines);
    const origin = originNow(facts, books, record);
    const { network, blockchainHash } = facts;
    const known = books.filter((line) => line.seq <= this.#after);
    const before = classify(known, this.#before.of(facts, known));
    const now = classify(books, origin);
    const moved = changeOf(before.totals, now.totals);
    const isNumbered = record.rules !== undefined;
    const inTransit = now.inTransit.map(({ kind, leg, vaultId, asset, amount }) => {
      const shown = { kind, vaultId, network, blockchainHash, asset, amount: amount.toString() };
      return isNumbered ? { ...shown, leg } : shown;
    });
    const unconfirmed = isNumbered ? unconfirmedOf(facts, books, origin) : [];
    const found = { moved, inTransit, unconfirmed };
    if (previous === undefined) return { ...found, priorDay: [] };
    const { rules } = record;
    const context = { previous, throughSeq, eventAt, closedDayOf, rules, moved };
    return { ...found, priorDay: priorDayItems(facts, { ...context, before: before.totals }) };
  }

  /**
   * Adds burned fees that the custody side counts since the last comparison; rules 1 counted none.
   */
  burn({ lines }: HashFacts, burned: VaultAssetSums): void {
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
    const key = vaultAssetKey(line);
    sums.set(key, plus(sums.get(key) ?? ZERO, line.amount));
  }
}

/** Folds the hashes of a day, each with everything known about it. */
export function foldDay(hashes: Iterable<HashFacts>, context: FoldContext): DayFold {
  const folder = new Folder(context);
  const effects = new Totals();
  const sums = { net: new Map<string, Amount>(), chain: new Map<string, Amount>() };
  const inTransit: ReportInTransit[] = [];
  const unconfirmed: ReportUnconfirmed[] = [];
  const priorDay: PriorDayItem[] = [];
  const differences: ReportDifference[] = [];
  const afterCutOff: ReportAfterCutOff[] = [];
  const burned = new VaultAssetSums();
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
 * The movements of a closed day's hashes, from their lines and two sealed reports: the day's own
 * and the one before. Their sums are the report's figures.
 */
export class ClosedFold {
  readonly #afterSeq: number;
  readonly #throughSeq: number;
  readonly #before: Origins;
  readonly #now: Origins;

  constructor(report: DailyReport, previous: DailyReport | undefined) {
    this.#afterSeq = report.journal.afterSeq;
    this.#throughSeq = report.journal.throughSeq;
    this.#before = originsIn(previous);
    this.#now = originsIn(report);
  }

  moved(hash: HashName, lines: readonly PositionLine[]): readonly Moved[] {
    const books = booksAt(this.#throughSeq, lines);
    const known = booksAt(this.#afterSeq, lines);
    const before = classify(known, this.#before.of(hash, known));
    const now = classify(books, this.#now.of(hash, books));
    return changeOf(before.totals, now.totals);
  }
}
