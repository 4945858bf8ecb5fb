import { custodyReceived, samePlace } from '../domain/compare.ts';
import type { CustodyTransaction } from '../domain/custody.ts';
import type { Deposit } from '../domain/deposit.ts';
import type { DepositId, TransactionId } from '../domain/ids.ts';
import { remember } from './remember.ts';
import { byTurns } from './turns.ts';

/** Deposits remembered as shown; one that is forgotten waits for its turn among the unknown. */
const REMEMBERED_MAX = 100_000;

/**
 * Deposits that the custody API has shown where they are, as one that must grow deeper for hours.
 * Whoever forges deposits faster than they can be looked up must not take the turns of these.
 */
export class ShownDeposits {
  readonly #shown = new Map<DepositId, true>();

  /** Remembers those of the deposits that one of these rows shows. */
  see(deposits: readonly Deposit[], rows: ReadonlyMap<TransactionId, CustodyTransaction>): void {
    for (const deposit of deposits) {
      const row = deposit.transactionId === null ? undefined : rows.get(deposit.transactionId);
      if (row === undefined || !samePlace(deposit, row)) continue;
      if (custodyReceived(deposit, row.changes ?? []) === undefined) continue;
      remember(this.#shown, [deposit.depositId, true], REMEMBERED_MAX);
    }
  }

  /** Shown ones and others by turns, each in their order. */
  fairly(deposits: readonly Deposit[]): Deposit[] {
    const shown = deposits.filter(({ depositId }) => this.#shown.has(depositId));
    const others = deposits.filter(({ depositId }) => !this.#shown.has(depositId));
    return byTurns(shown, others);
  }
}
