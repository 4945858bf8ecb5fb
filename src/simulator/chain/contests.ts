import type { Index, Table } from '../state/table.ts';
import type { ChainTransaction } from './chain-transaction.ts';

/** Transactions that outbid each other: at most one of a contest is ever mined. */
export class Contests {
  readonly #transactions: Table<ChainTransaction>;
  readonly #bids: Index<ChainTransaction>;

  constructor(transactions: Table<ChainTransaction>) {
    this.#transactions = transactions;
    this.#bids = transactions.index((row) => (row.replaces === null ? [] : [row.replaces]));
  }

  /** Those that still wait of the bids against this transaction. */
  bidsAgainst(transaction: ChainTransaction): ChainTransaction[] {
    return this.#bids.find(transaction.hash).filter(({ status }) => status === 'mempool');
  }

  /** Those that still wait of the contest that this transaction has decided; originals first. */
  losers(winner: ChainTransaction): ChainTransaction[] {
    let first = winner;
    for (let original; (original = this.#transactions.get(first.replaces ?? ''));) {
      first = original;
    }
    const contest = [first];
    for (const { hash } of contest) contest.push(...this.#bids.find(hash));
    return contest.filter(({ status }) => status === 'mempool');
  }
}
