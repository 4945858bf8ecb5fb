import { custodyReceived, isRecordOf } from '../../domain/deposit/record/comparison.ts';
import type { CustodyTransaction } from '../../domain/fact/custody-record.ts';
import type { Deposit } from '../../domain/deposit/deposit.ts';
import type { DepositId, TransactionId } from '../../domain/ids.ts';
import { putBounded } from '../pacing/bounded-map.ts';
import { alternating } from '../pacing/lookup-backoff.ts';

/** Most deposits kept as shown; an evicted deposit queues with the unknown ones. */
const DEPOSITS_MAX = 100_000;

/**
 * Deposits that the custody API has shown at their address, for example while they gain depth.
 * Forged deposits must not delay their look-ups.
 */
export class ShownDeposits {
  readonly #shown = new Map<DepositId, true>();

  /** Keeps the deposits that these rows show. */
  see(deposits: readonly Deposit[], rows: ReadonlyMap<TransactionId, CustodyTransaction>): void {
    for (const deposit of deposits) {
      const row = deposit.transactionId === null ? undefined : rows.get(deposit.transactionId);
      if (row === undefined || !isRecordOf(deposit, row)) continue;
      if (custodyReceived(deposit, row.changes ?? []) === undefined) continue;
      putBounded(this.#shown, [deposit.depositId, true], DEPOSITS_MAX);
    }
  }

  /** Shown and other deposits alternately, each kind in its order. */
  fairly(deposits: readonly Deposit[]): Deposit[] {
    return alternating(deposits, ({ depositId }) => this.#shown.has(depositId));
  }
}
