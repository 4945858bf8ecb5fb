import type { Priority } from '../../custody/budget/lane.ts';
import type { CustodyClient } from '../../custody/client.ts';
import type { CustodyRecord, CustodyTransaction } from '../../domain/fact/custody-record.ts';
import type { TransactionId } from '../../domain/ids.ts';
import { PAGE_SIZE_MAX } from '../../wire/page.ts';
import { hashKeyOf } from '../comparing/snapshot.ts';
import { readCustodyList, type CustodyList } from '../list/custody-list.ts';
import { RowQueue } from './row-queue.ts';
import { ShownRows } from './shown-rows.ts';

/**
 * A reading goes back this long before the newest known row, or to a page that holds a known row,
 * because the service may show a row shortly after a younger one. Whole pages are read, so under
 * light load a reading goes back by minutes; under heavy load it may go back by a few rows only.
 * The sweep looks up a deposit whose row was missed.
 */
const OVERLAP_MS = 1_000;

/** Most pages of one reading. The sweep reads longer lists, over several runs. */
const REQUESTS_MAX = 20;

/** Upper limit of the expected requests: waiting for budget for more takes longer than trying. */
const REQUESTS_EXPECTED_MAX = 10;

/** Shortest period over which the rate of changes is measured. */
const RATE_MS_MIN = 1_000;

/** When the list was empty: the next reading starts this long before now. */
const EMPTY_LIST_MS = 86_400_000;

/**
 * The transactions list as a stream of changes. Each reading requests what changed since the last
 * complete one, both directions in one list. The verifier and the sweep each have a queue of the
 * rows that they have not compared, whichever of them read the rows.
 *
 * Modes: `detached` (the read position is unknown; a sweep must read its own list) → `attached` at
 * a floor → `detached` again when a queue is full, or when more rows changed than one reading can
 * bring.
 */
export class CustodyChanges {
  /** Rows that the verifier has not compared. */
  readonly unverified = new RowQueue();
  /** Rows that the sweep has not compared. */
  readonly unswept = new RowQueue();
  readonly shown: ShownRows;
  readonly #custody: CustodyClient;
  readonly #now: () => number;
  #floor: number | null = null;
  /** `updatedAt` of the oldest row that must be read again. */
  #againFrom = Infinity;
  #readAtMs = 0;
  /**
   * Rates of change before the last two readings. The lower one counts: one reading with many new
   * rows proves no trend.
   */
  #rowsPerMs: readonly [number, number] = [0, 0];

  constructor(options: {
    custody: CustodyClient;
    /** Wall clock, Unix milliseconds. */
    now: () => number;
  }) {
    this.#custody = options.custody;
    this.#now = options.now;
    this.shown = new ShownRows(options.now);
  }

  /**
   * The time up to which the list was read, by the service's clock in Unix milliseconds; null:
   * detached.
   */
  get floor(): number | null {
    return this.#floor;
  }

  /** When the last complete reading began, by our clock in Unix milliseconds. */
  get readAtMs(): number {
    return this.#readAtMs;
  }

  /**
   * Sets the start of the next reading, unless readings are further already. `newest` null: the
   * list was empty.
   */
  attach(newest: number | null): void {
    const nowMs = this.#now();
    // A row with a wrong clock must not end all later readings.
    const floor = newest === null ? nowMs - EMPTY_LIST_MS : Math.min(newest, nowMs);
    this.#floor = Math.max(this.#floor ?? floor, floor);
  }

  /** Outdates a row: the next reading goes back to it, and it counts as news then. */
  readAgain(row: CustodyTransaction): void {
    this.shown.outdate(row);
    this.#againFrom = Math.min(this.#againFrom, row.updatedAt);
  }

  /** Removes and returns the rows of a queue, each in the version that was read last. */
  take(queue: RowQueue): Map<TransactionId, CustodyTransaction> {
    const rows = queue.take();
    for (const row of rows.values()) {
      rows.set(row.transactionId, this.shown.get(row.transactionId) ?? row);
    }
    return rows;
  }

  /**
   * Records of the newest version of their row. Leaves out a deposit's record too when a newer version
   * of an own transaction with its hash was read meanwhile: that one must be durable first. The
   * deposit's row goes back into the queue that it was taken from.
   */
  currentOf(records: readonly CustodyRecord[], queue: RowQueue): readonly CustodyRecord[] {
    const current = records.filter((record) => this.shown.isCurrent(record));
    if (current.length === records.length) return current;
    const moved = new Set<string>();
    for (const record of records) {
      if (record.kind !== 'outgoing' || this.shown.isCurrent(record)) continue;
      moved.add(hashKeyOf(record.transaction));
    }
    return current.filter((record) => {
      if (record.kind !== 'deposit' || record.transaction === null) return true;
      if (!moved.has(hashKeyOf(record.transaction))) return true;
      queue.put([record.transaction]);
      return false;
    });
  }

  /**
   * Forgets the read position and all queued rows. Whoever reads next, from an older position, must
   * queue them again, although they were shown before.
   */
  detach(): void {
    this.#floor = null;
    this.shown.outdateAll();
    this.unverified.clear();
    this.unswept.clear();
  }

  /**
   * Expected requests of a reading now, estimated from the last two readings. A list of several
   * pages needs one more request, because its head is read again.
   */
  requestsExpected(): number {
    const rows = Math.min(...this.#rowsPerMs) * (this.#now() - this.#readAtMs);
    const pages = Math.ceil(rows / PAGE_SIZE_MAX);
    return pages > 1 ? Math.min(pages + 1, REQUESTS_EXPECTED_MAX) : 1;
  }

  /**
   * Reads what changed since the last complete reading, newest first. Readings may overlap: each
   * covers everything from its own floor on.
   */
  async read(options: {
    priority: Priority;
    /** Priority of further pages. */
    continuation?: Priority;
    deadlineMs: number;
    /** The journal position when the reading begins. */
    askedAfter: number;
  }): Promise<CustodyList> {
    const askedMs = this.#now();
    if (this.#floor === null) throw new Error('the read position of the list is unknown');
    const againFrom = this.#againFrom;
    const since = Math.min(this.#floor, againFrom);
    this.#againFrom = Infinity;
    const list = await readCustodyList(this.#custody, {
      ...options,
      since,
      overlapMs: OVERLAP_MS,
      requestsMax: REQUESTS_MAX,
      isKnown: (row) => this.shown.hasRead(row),
    });
    if (list.incomplete === null) this.#take(list, askedMs);
    else {
      this.#againFrom = Math.min(this.#againFrom, againFrom);
      if (list.incomplete.isTooLong) this.detach();
    }
    return list;
  }

  #take(list: CustodyList, askedMs: number): void {
    // Meanwhile a sweep may have found the list too long; then it reads the list itself.
    if (this.#floor === null) return;
    const news = this.shown.see(list.transactions.values());
    this.#measure(news.length, askedMs);
    this.unverified.put(news);
    this.unswept.put(news);
    if (list.newest !== null) this.attach(list.newest);
    if (this.unverified.isFull || this.unswept.isFull) this.detach();
  }

  #measure(rows: number, askedMs: number): void {
    const sinceMs = Math.max(askedMs - this.#readAtMs, RATE_MS_MIN);
    this.#rowsPerMs = [this.#rowsPerMs[1], rows / sinceMs];
    this.#readAtMs = Math.max(this.#readAtMs, askedMs);
  }
}
