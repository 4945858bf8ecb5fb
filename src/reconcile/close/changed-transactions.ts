import type { Failure } from '../../custody/call/outcome.ts';
import type { Priority } from '../../custody/budget/lane.ts';
import type { CustodyClient } from '../../custody/client.ts';
import type { PageRequest } from '../../custody/list/page-cursor.ts';
import type { IncompleteCause } from '../../custody/list/pages.ts';
import { effectOf } from '../../domain/close/counted-effect.ts';
import type { CountedEffect } from '../../domain/close/record.ts';
import { isInProgress, type CustodyTransaction } from '../../domain/fact/custody-record.ts';
import type { TransactionId } from '../../domain/ids.ts';
import type { CountedRow, CountedTransaction, HashInDoubt } from '../../store/answers.ts';
import type { Reads } from '../../store/reads.ts';
import { transactionOf } from '../../translation/transaction.ts';
import type { TransactionRecord } from '../../wire/transaction.ts';
import { newestFirst } from '../list/custody-list.ts';
import { PausedList } from '../list/paused-list.ts';
import { rowsOfHash } from '../list/rows-of-hash.ts';
import type { LookupBackoff } from '../pacing/lookup-backoff.ts';

/**
 * Time limit of an attempt: a day's list takes up to 100 requests, which the budget spreads over a
 * minute or two.
 */
const ATTEMPT_MS_MAX = 300_000;

/**
 * Most requests of an attempt: five times as many as in a sweep, because a close only counts rows
 * and runs once a day.
 */
export const ATTEMPT_REQUESTS_MAX = 100;

/** How an attempt ended. `paused`: the next attempt goes on; `progressed`: this one read a page. */
export type AttemptEnd =
  | { readonly kind: 'complete' }
  | { readonly kind: 'paused'; readonly cause: Failure; readonly progressed: boolean }
  | { readonly kind: 'failed'; readonly cause: IncompleteCause };

/** The end of the closed day, and how long before it a change is in grace. Milliseconds. */
interface DayEnd {
  readonly cutOffAt: number;
  readonly graceMs: number;
}

/** A transaction whose effect differs from what earlier closes counted. */
interface Changed {
  readonly transaction: CustodyTransaction;
  readonly effect: CountedEffect;
}

/**
 * Most hashes that a close asks for. Each takes a request, and most reports leave no difference
 * unexplained.
 */
const HASHES_MAX = 40;
/** Most counted transactions that it asks for by id, because their hash does not show them. */
const COUNTED_MAX = 40;
const HASHES_MS_MAX = 60_000;

function amountsText(amounts: CountedEffect['amounts']): string {
  return amounts.map(({ asset, amount }) => `${asset} ${amount}`).join('\n');
}

/**
 * The transactions that changed since the last comparison, read over as many attempts as the budget
 * needs. Keeps only those that must be counted again: a long list may hold many that were counted.
 */
export class ChangedTransactions {
  readonly #list: PausedList<TransactionRecord>;
  readonly #reads: Pick<Reads, 'custodyEffects'>;
  /** When each transaction last changed, by the service's clock, as the list shows it. */
  readonly #seen = new Map<TransactionId, number>();
  readonly #changed = new Map<TransactionId, Changed>();
  readonly #pending = new Map<TransactionId, CustodyTransaction>();
  readonly #inProgress: CustodyTransaction[] = [];
  readonly #gone: CountedEffect[] = [];
  /** The cut-off of the close that made the last attempt. */
  #cutOffAt: number | undefined;
  #requests = 0;
  #unreadable = 0;
  #newest: number | null = null;

  constructor(options: {
    readonly reads: Pick<Reads, 'custodyEffects'>;
    /** Oldest change to read, by the service's clock, Unix milliseconds. */
    readonly floor: number;
    readonly requestsMax: number;
  }) {
    const { reads, floor, requestsMax } = options;
    this.#reads = reads;
    this.#list = new PausedList({ ...newestFirst(floor), requestsMax });
  }

  /** Transactions read so far. */
  get transactions(): number {
    return this.#seen.size;
  }

  get requests(): number {
    return this.#requests;
  }

  get unreadable(): number {
    return this.#unreadable;
  }

  /** Newest change, by the service's clock; null when the list is empty. */
  get newest(): number | null {
    return this.#newest;
  }

  get changed(): readonly Changed[] {
    return [...this.#changed.values()];
  }

  /** Transactions with a final status whose balance changes are not published yet. */
  get pending(): readonly CustodyTransaction[] {
    return [...this.#pending.values()];
  }

  /** Transactions that the API says are in progress, of hashes whose figures differ. */
  get inProgress(): readonly CustodyTransaction[] {
    return this.#inProgress;
  }

  /** Transactions that earlier closes counted, and that the API does not know any more. */
  get gone(): readonly CountedEffect[] {
    return this.#gone;
  }

  /** Reads until the list, the time or the budget ends. `cutOffAt`: the closed day's end. */
  async goOn(context: DayEnd & { custody: CustodyClient; now: () => number }): Promise<AttemptEnd> {
    const { custody, now, cutOffAt, graceMs } = context;
    const deadlineMs = now() + ATTEMPT_MS_MAX;
    // Sweeps keep a part of the budget that the later attempts of a close cannot use. The lowest lane
    // may have no room for hours, so each close begins in the sweeps' lane.
    const priority: Priority = this.#cutOffAt === cutOffAt ? 'inactive' : 'sweep';
    this.#cutOffAt = cutOffAt;
    let asked = 0;
    let progressed = false;
    const ask = async (at: PageRequest) => {
      if (asked === ATTEMPT_REQUESTS_MAX) {
        return { kind: 'rate-budget', retryAtMs: now() } as const;
      }
      asked += 1;
      this.#requests += 1;
      const query = { ...at, sort: 'updatedAt:desc' } as const;
      const answer = await custody.transactions(query, { priority, deadlineMs });
      progressed ||= answer.kind === 'ok';
      return answer;
    };
    for (;;) {
      const event = await this.#list.next(ask);
      switch (event.kind) {
        case 'rows':
          this.#unreadable += event.unreadable.length;
          await this.#take(event.rows.map(transactionOf), { cutOffAt, graceMs });
          break;
        case 'complete':
          return { kind: 'complete' };
        case 'incomplete':
          return { kind: 'failed', cause: event.cause };
        case 'paused':
          return { kind: 'paused', cause: event.cause, progressed };
        default:
          event satisfies never;
      }
    }
  }

  /**
   * Asks for the transactions of hashes: the API may leave a row out of a list, or show it as it was
   * hours ago, and no later list need show it again. Takes what is newer than the list, and returns
   * whether that changes the report. A counted transaction that its hash does not show is asked for by
   * its id: only a 404 proves that the API does not know it any more. The next close asks again for
   * what cannot be asked now: above `HASHES_MAX` hashes, they take turns.
   */
  async lookUp(
    hashes: readonly HashInDoubt[],
    {
      custody,
      now,
      backoff,
    }: {
      custody: CustodyClient;
      now: () => number;
      backoff: LookupBackoff<HashInDoubt>;
    },
  ): Promise<boolean> {
    let found = 0;
    const deadlineMs = now() + HASHES_MS_MAX;
    const unshown: CountedTransaction[] = [];
    for (const hash of backoff.inTurn(hashes, now()).slice(0, HASHES_MAX)) {
      const { blockchainHash, counted } = hash;
      this.#requests += 1;
      const asked = { priority: 'sweep', deadlineMs } as const;
      const answer = await rowsOfHash(custody, { blockchainHash }, asked);
      if (answer.kind === 'failed' && !answer.isAttempt) break;
      backoff.take(hash, now());
      if (answer.kind === 'failed') continue;
      const ofHash = answer.transactions.filter((row) => row.blockchainHash === blockchainHash);
      const newest = ofHash.filter(
        ({ transactionId, updatedAt }) => updatedAt >= (this.#seen.get(transactionId) ?? updatedAt),
      );
      this.#inProgress.push(...newest.filter(isInProgress));
      found += await this.#takeLate(newest.filter((row) => !isInProgress(row)));
      const shown = new Set(ofHash.map(({ transactionId }) => transactionId));
      unshown.push(...counted.filter(({ transactionId }) => !shown.has(transactionId)));
    }
    await this.#lookUpCounted(unshown, { custody, now, deadlineMs });
    return found + this.#inProgress.length + this.#gone.length > 0;
  }

  /** Keeps the transactions that the API does not know any more: they count for nothing. */
  async #lookUpCounted(
    counted: readonly CountedTransaction[],
    { custody, now, deadlineMs }: { custody: CustodyClient; now: () => number; deadlineMs: number },
  ): Promise<void> {
    const unseen = counted.filter(({ transactionId }) => !this.#seen.has(transactionId));
    for (const one of unseen.slice(0, COUNTED_MAX)) {
      this.#requests += 1;
      const asked = { priority: 'sweep', deadlineMs } as const;
      const answer = await custody.transaction(one.transactionId, asked);
      if (answer.kind === 'rate-budget') return;
      if (answer.kind === 'not-found') this.#gone.push({ ...one, amounts: [], updatedAt: now() });
    }
  }

  /**
   * Counts rows that are newer than the list, and returns how many change a figure. Rows whose
   * amounts are not published wait for a later close.
   */
  async #takeLate(rows: readonly CustodyTransaction[]): Promise<number> {
    let found = 0;
    const known = await this.#reads.custodyEffects(rows.map(({ transactionId }) => transactionId));
    for (const transaction of rows) {
      const { transactionId, updatedAt } = transaction;
      const effect = effectOf(transaction);
      const listedAt = this.#seen.get(transactionId) ?? Number.NEGATIVE_INFINITY;
      if (effect === 'pending' || updatedAt <= listedAt) continue;
      this.#seen.set(transactionId, updatedAt);
      if (isKnown(effect, known.get(transactionId) ?? [])) {
        // The list showed an older version, which would change what was counted.
        if (this.#changed.delete(transactionId)) found += 1;
        continue;
      }
      this.#changed.set(transactionId, { transaction, effect: { ...effect, isLate: true } });
      found += 1;
    }
    return found;
  }

  /** Counts the newest version of each row. */
  async #take(rows: readonly CustodyTransaction[], end: DayEnd): Promise<void> {
    const known = await this.#reads.custodyEffects(rows.map(({ transactionId }) => transactionId));
    for (const transaction of rows) {
      const { transactionId, updatedAt } = transaction;
      this.#seen.set(transactionId, updatedAt);
      this.#newest = Math.max(this.#newest ?? updatedAt, updatedAt);
      this.#changed.delete(transactionId);
      this.#pending.delete(transactionId);
      const effect = effectOf(transaction);
      if (effect === 'pending') this.#pending.set(transactionId, transaction);
      else if (
        !isKnown(effect, known.get(transactionId) ?? []) ||
        mayBeUndone(transaction, effect, end)
      ) {
        this.#changed.set(transactionId, { transaction, effect });
      }
    }
  }
}

/**
 * Whether a transaction that moves nothing now may have moved something at the cut-off: a
 * reorganisation may have taken it back since, or shortly before, and its webhook may be on its way.
 * No close has counted it, so only this row shows that.
 */
function mayBeUndone(
  { createdAt, updatedAt }: CustodyTransaction,
  { amounts }: CountedEffect,
  { cutOffAt, graceMs }: DayEnd,
): boolean {
  if (amounts.length > 0 || updatedAt < cutOffAt - graceMs) return false;
  return (createdAt ?? updatedAt) < cutOffAt;
}

/** Whether earlier closes counted the same. */
function isKnown(effect: CountedEffect, rows: readonly CountedRow[]): boolean {
  return (
    amountsText(rows) === amountsText(effect.amounts) &&
    rows.every(
      (row) => row.vaultId === effect.vaultId && row.blockchainHash === effect.blockchainHash,
    )
  );
}
