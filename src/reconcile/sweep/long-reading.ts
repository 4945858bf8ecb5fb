import {
  NO_REPAIRS,
  type CustodyRecord,
  type CustodyTransaction,
} from '../../domain/fact/custody-record.ts';
import type { Deposit } from '../../domain/deposit/deposit.ts';
import type { Reads } from '../../store/reads.ts';
import {
  compareAll,
  NOTHING_ABSENT,
  NOTHING_UNCONFIRMED,
  takeSnapshot,
} from '../comparing/batch-comparison.ts';
import {
  NO_CUSTODY_RESULT,
  requestsOf,
  type CustodyResult,
  type RunContext,
} from './custody-result.ts';
import type { Backfill } from '../comparing/comparison.ts';
import type { FirstReadings } from '../comparing/first-readings.ts';
import { LongList } from './long-list.ts';
import type { Repairs } from '../repair/repairs.ts';
import { PendingRows } from '../list/pending-rows.ts';
import { reachedBy, rereadFromOf, watermarkOf } from '../list/watermark.ts';

/** A history too long to read whole starts this long before now. */
const FIRST_HISTORY_MS = 86_400_000;

/** Most transactions per run handed to the repairs; the others are read again. */
const MISSED_MAX = 2_000;

interface LongReadingOptions {
  readonly reads: Reads;
  /** Submits records to the writer; returns why not all were taken, or null. */
  readonly submit: (records: readonly CustodyRecord[]) => Promise<string | null>;
  readonly repairs: Repairs | undefined;
  readonly firstReadings: FirstReadings;
  /** Wall clock, Unix milliseconds. */
  readonly now: () => number;
  readonly graceMs: number;
}

/**
 * Reads a transactions list that is too long for one run. Each run reads a part and makes each page's
 * outcome durable before it reads the next. Only the end of the list moves the watermark. Later runs
 * look up what the list did not show.
 *
 * Modes: idle → reading (`begin`) → idle, when the list ended. Pages that do not fit together and
 * records that the store refuses also end the reading; the next run starts it again.
 */
export class LongReading {
  readonly #options: LongReadingOptions;
  #list: LongList | null = null;
  /** Time from which the list must be read again: rows not compared or not repaired. */
  #rereadFrom = Infinity;
  /** Start of a history that is too long to read whole; null when none is. */
  #firstFloor: number | null = null;
  readonly #pending: PendingRows;

  constructor(options: LongReadingOptions) {
    this.#options = options;
    this.#pending = new PendingRows(options.graceMs);
  }

  get isUnderWay(): boolean {
    return this.#list !== null;
  }

  /** Oldest time to read, by the service's clock; null reads to the end. */
  since(known: number | null): number | null {
    return known ?? this.#firstFloor;
  }

  /** Starts the reading of a long list. A first reading starts before the oldest of these deposits. */
  begin({ known, overlapMs }: RunContext, unconfirmed: readonly Deposit[]): void {
    const { now } = this.#options;
    const oldest = unconfirmed.reduce((first, one) => Math.min(first, one.firstSeenAt), now());
    this.#firstFloor ??= oldest - FIRST_HISTORY_MS;
    this.#list = new LongList({ floor: (known ?? this.#firstFloor) - overlapMs });
    this.#rereadFrom = Infinity;
    this.#pending.begin();
  }

  /** Continues until the list, the time or the budget ends. `waitingDeposits`: their number. */
  async goOn(context: RunContext, waitingDeposits: number): Promise<CustodyResult> {
    const list = this.#list;
    if (list === null) throw new Error('no list was begun to be read by parts');
    const { tally, known } = context;
    const { repairs, now } = this.#options;
    const missed: Backfill[] = [];
    let ended = 0;
    const take = async (rows: readonly CustodyTransaction[]): Promise<boolean> => {
      const compared = await this.#compare(rows);
      for (const { outcome } of compared) tally.add(outcome);
      ended += compared.length;
      const reached = reachedBy(list.newest, now());
      const again = compared
        .flatMap((one) => one.again ?? [])
        .filter((row) => this.#pending.isReadAgain(row, reached, now()));
      this.#rereadFrom = Math.min(this.#rereadFrom, rereadFromOf(again));
      for (const one of compared) {
        if (one.missed !== null && missed.length < MISSED_MAX) missed.push(one.missed);
      }
      return (await this.#options.submit(compared.flatMap((one) => one.record ?? []))) === null;
    };
    const part = await list.goOn({ ...context, take });
    const repaired = await repairs?.run(missed, {
      ...context,
      snapshot: await this.#snapshotOf([]),
    });
    tally.skip('unreadable_row', part.unreadable);
    const half = {
      ...NO_CUSTODY_RESULT,
      records: repaired?.records ?? [],
      requests: requestsOf([part, repaired]),
      repairs: repaired?.repairs ?? NO_REPAIRS,
    };
    const { unfinished } = part;
    if (unfinished?.kind !== 'later') this.#list = null;
    if (unfinished !== null) {
      tally.skip(unfinished.cause, Math.max(waitingDeposits - ended, 1));
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
      unconfirmed: NOTHING_UNCONFIRMED,
      snapshot,
    });
  }
}
