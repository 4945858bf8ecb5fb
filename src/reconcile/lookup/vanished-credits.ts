import { inGrace, type Grace } from '../../domain/deposit/record/comparison.ts';
import type { Deposit } from '../../domain/deposit/deposit.ts';
import type { CustodyTransaction } from '../../domain/fact/custody-record.ts';
import type { TransactionId } from '../../domain/ids.ts';
import { putBounded } from '../pacing/bounded-map.ts';

/** Most transactions whose first 404 is remembered; an evicted one begins its grace period anew. */
const ABSENT_MAX = 10_000;

/**
 * Credited deposits whose transaction the custody API does not show any more. No webhook reports
 * that. The API may hide a transaction for a moment, so only a 404 that lasts counts. The times of
 * the first 404 are in memory: a restart begins the wait anew.
 */
export class VanishedCredits {
  readonly #since = new Map<TransactionId, number>();

  /**
   * The deposits to look up. A complete reading shows every transaction that was created after its
   * oldest row changed, so it should have shown these. `shown`: every row of the reading.
   */
  missing(
    credited: readonly Deposit[],
    shown: ReadonlyMap<TransactionId, CustodyTransaction>,
  ): Deposit[] {
    let oldest = Infinity;
    for (const { updatedAt } of shown.values()) oldest = Math.min(oldest, updatedAt);
    return credited.filter(({ transactionId, custodyCreatedAt }) => {
      if (transactionId === null || shown.has(transactionId)) return false;
      return this.#since.has(transactionId) || (custodyCreatedAt ?? -Infinity) > oldest;
    });
  }

  /** Forgets the transactions that these rows show. */
  see(rows: readonly CustodyTransaction[]): void {
    for (const { transactionId } of rows) this.#since.delete(transactionId);
  }

  /** Leaves out credited deposits whose first 404 is younger than the grace period. */
  lasting(absent: readonly Deposit[], grace: Grace): Deposit[] {
    return absent.filter(({ credit, transactionId }) => {
      if (credit === null || transactionId === null) return true;
      const since = this.#since.get(transactionId) ?? grace.at;
      putBounded(this.#since, [transactionId, since], ABSENT_MAX);
      return !inGrace(since, grace);
    });
  }
}
