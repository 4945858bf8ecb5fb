import type { Priority } from '../../custody/budget/lane.ts';
import type { CustodyClient } from '../../custody/client.ts';
import type { Failure } from '../../custody/call/outcome.ts';
import type { IncompleteCause } from '../../custody/list/pages.ts';
import type { SkipCause } from '../../domain/deposit/record/comparison.ts';
import type { CustodyTransaction } from '../../domain/fact/custody-record.ts';
import { transactionOf } from '../../translation/transaction.ts';
import type { TransactionRecord } from '../../wire/transaction.ts';
import {
  describeCause,
  newestFirst,
  partsOf,
  readCustodyList,
  skipCauseOf,
} from '../list/custody-list.ts';
import { PausedList } from '../list/paused-list.ts';

/** Most requests of one reading: a million rows, over as many hours as the budget needs. */
const REQUESTS_MAX = 1_100;

/** Most pages of deposits held until the head of the outgoing list is read again. */
const PAGES_HELD_MAX = 20;

/** The result of reading one part of a long list. */
export interface LongListPart {
  readonly requests: number;
  readonly unreadable: number;
  /** Null when the list ended; otherwise why it continues later or starts again. */
  readonly unfinished: {
    readonly kind: 'later' | 'failed';
    readonly cause: SkipCause;
    readonly detail: string;
  } | null;
}

/** The deadline and budget of a run, and its handler of rows. */
export interface LongListContext {
  readonly custody: CustodyClient;
  readonly priority: Priority;
  readonly deadlineMs: number;
  readonly overlapMs: number;
  /** The journal position when the run began. */
  readonly askedAfter: number;
  /** Compares rows and makes the outcome durable; false when the store refused. */
  readonly take: (rows: readonly CustodyTransaction[]) => Promise<boolean>;
}

const NOT_TAKEN = {
  kind: 'failed',
  cause: 'api_unavailable',
  detail: 'the store did not take all evidence',
} as const;

/**
 * Reads a transactions list that is too long for one run, over several runs. Reads all own outgoing
 * transactions first, because they decide which deposits are internal. Then reads deposits page by
 * page. Before each page is compared, the head of the outgoing list is read again: no deposit is
 * compared by an older list of own transactions.
 */
export class LongList {
  readonly #own: PausedList<TransactionRecord>;
  readonly #deposits: PausedList<TransactionRecord>;
  #ownIsRead = false;
  #depositsAreRead = false;
  #held: CustodyTransaction[][] = [];
  /** Newest `updatedAt` of the outgoing rows; their head is read again from here. */
  #newestOwn: number | null = null;
  /** The newest row of either list's first page; newer rows belong to the next reading. */
  #newest: number | null = null;
  #depositsAreSeen = false;
  #rows = 0;

  constructor(options: { floor: number }) {
    const reading = { ...newestFirst(options.floor), requestsMax: REQUESTS_MAX };
    this.#own = new PausedList(reading);
    this.#deposits = new PausedList(reading);
  }

  /** The watermark once the list ended, by the service's clock, Unix milliseconds. */
  get newest(): number | null {
    return this.#newest;
  }

  /** Continues until the list, the time or the budget ends. */
  async goOn(context: LongListContext): Promise<LongListPart> {
    let requests = 0;
    let unreadable = 0;
    const { custody, priority, deadlineMs, askedAfter } = context;
    const ask = (type: 'outgoing' | 'incoming') => (at: { page: number; pageSize: number }) => {
      requests += 1;
      return custody.transactions(
        { ...at, type, sort: 'updatedAt:desc' },
        { priority, deadlineMs },
      );
    };
    const end = (unfinished: LongListPart['unfinished']): LongListPart => ({
      requests,
      unreadable,
      unfinished,
    });
    while (!this.#depositsAreRead) {
      const isOwn = !this.#ownIsRead;
      const event = await (isOwn
        ? this.#own.next(ask('outgoing'))
        : this.#deposits.next(ask('incoming')));
      switch (event.kind) {
        case 'rows': {
          unreadable += event.unreadable.length;
          const parts = partsOf(event.unreadable);
          const rows = [...parts, ...event.rows].map((row) => ({
            ...transactionOf(row),
            askedAfter,
          }));
          this.#see(rows, isOwn);
          if (!isOwn) this.#held.push(rows);
          else if (!(await context.take(rows))) return end(NOT_TAKEN);
          break;
        }
        case 'complete':
          if (isOwn) this.#ownIsRead = true;
          else this.#depositsAreRead = true;
          break;
        case 'incomplete':
          return end(failedBy(event.cause));
        case 'paused': {
          const taken = await this.#takeHeld(context);
          requests += taken.requests;
          return end(taken.unfinished ?? this.#laterFor(event.cause));
        }
        default:
          event satisfies never;
      }
      if (this.#held.length < PAGES_HELD_MAX) continue;
      const taken = await this.#takeHeld(context);
      requests += taken.requests;
      if (taken.unfinished !== null) return end(taken.unfinished);
    }
    const last = await this.#takeHeld(context);
    requests += last.requests;
    return end(last.unfinished);
  }

  #see(rows: readonly CustodyTransaction[], isOwn: boolean): void {
    const isFirst = isOwn ? this.#newestOwn === null : !this.#depositsAreSeen;
    const newest = rows.reduce((last, row) => Math.max(last, row.updatedAt), 0);
    if (isOwn) this.#newestOwn = Math.max(this.#newestOwn ?? 0, newest);
    else this.#depositsAreSeen = true;
    if (isFirst) this.#newest = Math.max(this.#newest ?? 0, newest);
    this.#rows += rows.length;
  }

  #laterFor(cause: Failure): NonNullable<LongListPart['unfinished']> {
    const detail = `the list is long: ${this.#rows} rows of it were read so far, the next runs go on`;
    return { kind: 'later', cause: skipCauseOf(cause), detail };
  }

  async #takeHeld(
    context: LongListContext,
  ): Promise<Pick<LongListPart, 'requests' | 'unfinished'>> {
    if (this.#held.length === 0) return { requests: 0, unfinished: null };
    const { custody, priority, deadlineMs, overlapMs, askedAfter } = context;
    const head = await readCustodyList(custody, {
      since: this.#newestOwn,
      askedAfter,
      overlapMs,
      priority,
      deadlineMs,
      type: 'outgoing',
    });
    const { requests, incomplete } = head;
    if (incomplete !== null) {
      // Held pages stay held: no deposit is compared without the outgoing list.
      const { cause, detail } = incomplete;
      return { requests, unfinished: { kind: 'later', cause, detail } };
    }
    const own = [...head.transactions.values()].filter((row) => row.type === 'outgoing');
    this.#newestOwn = own.reduce(
      (last, row) => Math.max(last, row.updatedAt),
      this.#newestOwn ?? 0,
    );
    const held = this.#held.splice(0);
    for (const rows of [own, ...held]) {
      if (!(await context.take(rows))) {
        return { requests, unfinished: NOT_TAKEN };
      }
    }
    return { requests, unfinished: null };
  }
}

function failedBy(cause: IncompleteCause): NonNullable<LongListPart['unfinished']> {
  return { kind: 'failed', cause: skipCauseOf(cause), detail: describeCause(cause) };
}
