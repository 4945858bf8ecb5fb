import type { Grace } from '../../domain/deposit/record/comparison.ts';
import type { Deposit } from '../../domain/deposit/deposit.ts';
import type { CustodyTransaction } from '../../domain/fact/custody-record.ts';
import type { TransactionId } from '../../domain/ids.ts';
import { FirstAbsences } from '../pacing/first-absences.ts';

/**
 * Verified or credited deposits whose transaction the custody API does not show any more. No webhook
 * reports that. The API may hide a transaction for a moment, so only a 404 that lasts counts.
 */
export class VanishedDeposits {
  readonly #absences = new FirstAbsences();

  /**
   * The deposits to look up. A complete reading shows every transaction that was created after its
   * oldest row changed, so it should have shown these. `shown`: every row of the reading.
   */
  missing(
    verified: readonly Deposit[],
    shown: ReadonlyMap<TransactionId, CustodyTransaction>,
  ): Deposit[] {
    let oldest = Infinity;
    for (const { updatedAt } of shown.values()) oldest = Math.min(oldest, updatedAt);
    return verified.filter(({ transactionId, custodyCreatedAt }) => {
      if (transactionId === null || shown.has(transactionId)) return false;
      return this.#absences.has(transactionId) || (custodyCreatedAt ?? -Infinity) > oldest;
    });
  }

  /** Forgets the transactions that these rows show. */
  see(rows: readonly CustodyTransaction[]): void {
    this.#absences.see(rows);
  }

  /** Leaves out the deposits whose first 404 is younger than the grace period. */
  lasting(absent: readonly Deposit[], grace: Grace): Deposit[] {
    return absent.filter(
      ({ transactionId }) => transactionId === null || this.#absences.lasts(transactionId, grace),
    );
  }
}
