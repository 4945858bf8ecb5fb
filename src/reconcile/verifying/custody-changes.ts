import type { Priority } from '../../custody/budget/lane.ts';
import type { CustodyClient } from '../../custody/client.ts';
import { readCustodyList, type CustodyList } from '../custody-list.ts';
import { RowQueue } from './row-queue.ts';
import { ShownRows } from './shown-rows.ts';

/**
 * Rows that changed this long before the newest known one are read again: the service may show a row
 * a moment after a younger one. A page holds a thousand rows whatever is asked, so under light load
 * a reading goes back by minutes. Under heavy load this much is left.
 */
const OVERLAP_MS = 1_000;

/** Pages of one reading. A longer list is the sweep's, which reads it over several runs. */
const REQUESTS_MAX = 20;

/** The list was empty: whatever changed within the last day is news. */
const EMPTY_LIST_MS = 86_400_000;

/**
 * The transactions list as a stream of changes. Each reading asks for what changed since the last
 * complete one, both directions in one list. The verifier and the sweep each have a queue of the rows
 * that they have not judged, whoever read them.
 *
 * Modes: `detached` (nobody knows up to where the list was read: only a sweep's reading of its own
 * helps) → `attached` at a floor → `detached` again when a queue holds more rows than it may, or
 * when more changed than one reading can bring.
 */
export class CustodyChanges {
  /** Rows that the verifier has not judged. */
  readonly unverified = new RowQueue();
  /** Rows that the sweep has not compared. */
  readonly unswept = new RowQueue();
  readonly shown: ShownRows;
  readonly #custody: CustodyClient;
  readonly #now: () => number;
  #floor: number | null = null;

  constructor(options: {
    custody: CustodyClient;
    /** Wall clock, Unix milliseconds. */
    now: () => number;
  }) {
    this.#custody = options.custody;
    this.#now = options.now;
    this.shown = new ShownRows(options.now);
  }

  /** Up to where the list is known, by the service's clock in Unix milliseconds; null: detached. */
  get floor(): number | null {
    return this.#floor;
  }

  /** Readings go on from here, or from where they are already. Null: the whole list was empty. */
  attach(newest: number | null): void {
    const nowMs = this.#now();
    // A row with a wrong clock must not end every later reading at once.
    const floor = newest === null ? nowMs - EMPTY_LIST_MS : Math.min(newest, nowMs);
    this.#floor = Math.max(this.#floor ?? floor, floor);
  }

  /** Forgets the place in the list, and with it all rows that wait. */
  detach(): void {
    this.#floor = null;
    this.unverified.clear();
    this.unswept.clear();
  }

  /**
   * Reads what changed since the last complete reading, newest first. May be called while another
   * reading is under way: each covers everything from its own floor on.
   */
  async read(options: { priority: Priority; deadlineMs: number }): Promise<CustodyList> {
    const since = this.#floor;
    if (since === null) throw new Error('nobody knows up to where the list was read');
    const list = await readCustodyList(this.#custody, {
      ...options,
      since,
      overlapMs: OVERLAP_MS,
      requestsMax: REQUESTS_MAX,
    });
    if (list.incomplete === null) this.#take(list);
    else if (list.incomplete.isTooLong) this.detach();
    return list;
  }

  #take(list: CustodyList): void {
    // A sweep may have found the list too long meanwhile, and reads it anew.
    if (this.#floor === null) return;
    const news = this.shown.see(list.transactions.values());
    this.unverified.put(news);
    this.unswept.put(news);
    if (list.newest !== null) this.attach(list.newest);
    if (this.unverified.isFull || this.unswept.isFull) this.detach();
  }
}
