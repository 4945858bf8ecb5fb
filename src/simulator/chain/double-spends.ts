import type { Index, Table } from '../state/table.ts';
import type { ChainTransaction } from './chain-transaction.ts';

/**
 * Replacements: transactions that spend the same inputs or nonce with a higher fee. A block takes
 * in only one of them.
 */
export class DoubleSpends {
  readonly #transactions: Table<ChainTransaction>;
  readonly #replacements: Index<ChainTransaction>;

  constructor(transactions: Table<ChainTransaction>) {
    this.#transactions = transactions;
    this.#replacements = transactions.index((row) => (row.replaces === null ? [] : [row.replaces]));
  }

  /** Pending transactions that replace this one. */
  replacementsOf(transaction: ChainTransaction): ChainTransaction[] {
    return this.#replacements.find(transaction.hash).filter(({ status }) => status === 'mempool');
  }

  /**
   * Pending transactions that lost to the mined one: its originals and all their replacements,
   * originals first.
   */
  losers(winner: ChainTransaction): ChainTransaction[] {
    let first = winner;
    for (let original; (original = this.#transactions.get(first.replaces ?? ''));) {
      first = original;
    }
    const conflicting = [first];
    for (const { hash } of conflicting) conflicting.push(...this.#replacements.find(hash));
    return conflicting.filter(({ status }) => status === 'mempool');
  }
}
