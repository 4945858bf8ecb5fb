import { inGrace, type Grace } from '../../domain/deposit/record/comparison.ts';
import type { TransactionId } from '../../domain/ids.ts';
import { putBounded } from './bounded-map.ts';

/** Most transactions remembered; an evicted one begins its grace period anew. */
const TRANSACTIONS_MAX = 10_000;

/**
 * When a look-up of a transaction was first answered with 404, and no row was shown since. The
 * custody API may hide a transaction for a moment. In memory: a restart begins the wait anew.
 */
export class FirstAbsences {
  readonly #since = new Map<TransactionId, number>();

  has(transactionId: TransactionId): boolean {
    return this.#since.has(transactionId);
  }

  /** Forgets the transactions that these rows show. */
  see(rows: readonly { readonly transactionId: TransactionId }[]): void {
    for (const { transactionId } of rows) this.#since.delete(transactionId);
  }

  /** Notes a 404. Whether the first one is as old as the grace period. */
  lasts(transactionId: TransactionId, grace: Grace): boolean {
    const since = this.#since.get(transactionId) ?? grace.at;
    putBounded(this.#since, [transactionId, since], TRANSACTIONS_MAX);
    return !inGrace(since, grace);
  }
}
