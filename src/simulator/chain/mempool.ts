import type { Index, Table } from '../state/table.ts';
import type { ChainTransaction } from './chain-transaction.ts';
import type { DoubleSpends } from './double-spends.ts';
import type { Ledger } from './ledger.ts';

/** The transactions of every network that wait for a block. */
export class Mempool {
  readonly #ledger: Ledger;
  readonly #doubleSpends: DoubleSpends;
  readonly #pending: Index<ChainTransaction>;
  readonly #claims: Index<ChainTransaction>;
  readonly #bySource: Index<ChainTransaction>;

  constructor(options: {
    transactions: Table<ChainTransaction>;
    ledger: Ledger;
    doubleSpends: DoubleSpends;
  }) {
    this.#ledger = options.ledger;
    this.#doubleSpends = options.doubleSpends;
    const pendingUnder = (
      keysOf: (row: ChainTransaction) => readonly string[],
    ): Index<ChainTransaction> =>
      options.transactions.index((row) => (row.status === 'mempool' ? keysOf(row) : []));
    this.#pending = pendingUnder((row) => [row.network]);
    this.#claims = pendingUnder((row) => row.spends);
    this.#bySource = pendingUnder((row) => row.sources.map((source) => `${row.network}|${source}`));
  }

  /** In order of broadcast. */
  list(network: string): ChainTransaction[] {
    return this.#pending.find(network).sort((left, right) => left.sequence - right.sequence);
  }

  /** Transactions that this address pays for, without those that lose to a replacement. */
  paidBy(network: string, networkAddress: string): ChainTransaction[] {
    return this.#bySource
      .find(`${network}|${networkAddress}`)
      .filter((transaction) => !this.losesToReplacement(transaction));
  }

  /** Transactions that spend this output. */
  claimants(outpointId: string): ChainTransaction[] {
    return this.#claims.find(outpointId);
  }

  /**
   * Whether a replacement with a higher fee waits that a block could take in. Miners then keep only
   * the replacement.
   */
  losesToReplacement(transaction: ChainTransaction): boolean {
    return this.#doubleSpends.replacementsOf(transaction).some((bid) => this.#ledger.canApply(bid));
  }
}
