import { NO_REPAIRS, type CustodyRecord, type CustodyTransaction } from '../domain/custody.ts';
import type { Deposit } from '../domain/deposit.ts';
import type { Reads } from '../store/reads.ts';
import { compareAll, NOTHING_ABSENT, NOTHING_WAITING, takeSnapshot } from './all-rows.ts';
import { NO_CUSTODY, requestsOf, type CustodyHalf, type Visit } from './custody-half.ts';
import { LongList } from './long-list.ts';
import type { Mending } from './repair/mending.ts';
import { reachedBy, rereadFromOf, watermarkOf } from './watermark.ts';

/** Where a history that is too long to be read whole is begun instead: this long before. */
const FIRST_HISTORY_MS = 86_400_000;

/** Transactions per run that are handed to the repairs; the others are read again. */
const MISSED_MAX = 2_000;

interface LongReadingOptions {
  readonly reads: Reads;
  /** Hands evidence to the writer; the reason when not all of it was taken. */
  readonly submit: (records: readonly CustodyRecord[]) => Promise<string | null>;
  readonly mending: Mending | undefined;
  /** Wall clock, Unix milliseconds. */
  readonly now: () => number;
  readonly graceMs: number;
}

/**
 * The reading of a transactions list that is too long for one run. Each run reads a part of it, and
 * makes each page's outcome durable before the next is read. Only at its end is the list known; what
 * it did not show is asked for singly by the runs after that.
 *
 * Modes: idle → under way (`begin`) → idle, when the list has come to its end, or its pages did not
 * fit together, or the store did not take what they brought: then the next run begins it anew.
 */
export class LongReading {
  readonly #options: LongReadingOptions;
  #list: LongList | null = null;
  /** From where the list must be read again: rows not compared or not mended. */
  #rereadFrom = Infinity;
  /** Where a history too long to be read whole is begun; null while none was. */
  #firstFloor: number | null = null;

  constructor(options: LongReadingOptions) {
    this.#options = options;
  }

  get isUnderWay(): boolean {
    return this.#list !== null;
  }

  /** Down to where the list is to be read, by the service's clock; null for its end. */
  since(known: number | null): number | null {
    return known ?? this.#firstFloor;
  }

  /** Begins a list that turned out too long; where none was read whole before, behind these deposits. */
  begin({ known, overlapMs }: Visit, waiting: readonly Deposit[]): void {
    const { now } = this.#options;
    const oldest = waiting.reduce((first, one) => Math.min(first, one.firstSeenAt), now());
    this.#firstFloor ??= oldest - FIRST_HISTORY_MS;
    this.#list = new LongList({ floor: (known ?? this.#firstFloor) - overlapMs });
    this.#rereadFrom = Infinity;
  }

  /** Reads on until the list, the time or the budget ends. `waiting`: deposits that wait for it. */
  async goOn(visit: Visit, waiting: number): Promise<CustodyHalf> {
    const list = this.#list;
    if (list === null) throw new Error('no list was begun to be read by parts');
    const { tally, known } = visit;
    const { mending, now } = this.#options;
    const missed: CustodyTransaction[] = [];
    let ended = 0;
    const take = async (rows: readonly CustodyTransaction[]): Promise<boolean> => {
      const compared = await this.#compare(rows);
      for (const { outcome } of compared) tally.add(outcome);
      ended += compared.length;
      this.#rereadFrom = Math.min(
        this.#rereadFrom,
        rereadFromOf(
          compared.map((one) => one.again?.updatedAt ?? null),
          reachedBy(list.newest, now()),
        ),
      );
      for (const one of compared) {
        if (one.missed !== null && missed.length < MISSED_MAX) missed.push(one.missed);
      }
      return (await this.#options.submit(compared.flatMap((one) => one.record ?? []))) === null;
    };
    const part = await list.goOn({ ...visit, take });
    const mended = await mending?.run(missed, { ...visit, snapshot: await this.#snapshotOf([]) });
    tally.skip('unreadable_row', part.unreadable);
    const half = {
      ...NO_CUSTODY,
      records: mended?.records ?? [],
      requests: requestsOf([part, mended]),
      repairs: mended?.repairs ?? NO_REPAIRS,
    };
    const { unfinished } = part;
    if (unfinished?.kind !== 'later') this.#list = null;
    if (unfinished !== null) {
      tally.skip(unfinished.cause, Math.max(waiting - ended, 1));
      return { ...half, incomplete: unfinished.detail };
    }
    const { newest } = list;
    const rereadFrom = this.#rereadFrom;
    return { ...half, watermark: watermarkOf({ known, newest, rereadFrom, now: now() }) };
  }

  #snapshotOf(rows: readonly CustodyTransaction[]) {
    return takeSnapshot(rows, { ...this.#options, others: [], withdrawals: [] });
  }

  async #compare(rows: readonly CustodyTransaction[]) {
    const snapshot = await this.#snapshotOf(rows);
    const transactions = new Map(rows.map((row) => [row.transactionId, row]));
    return compareAll({
      transactions,
      absent: NOTHING_ABSENT,
      waiting: NOTHING_WAITING,
      snapshot,
    });
  }
}
