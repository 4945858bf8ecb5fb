import type { State } from '../state/state.ts';
import type { Index, Table } from '../state/table.ts';
import type { ChainTransaction } from './chain-transaction.ts';

/**
 * Number of the sender's transactions in blocks. It is also the nonce of the sender's next
 * transaction in a block.
 */
interface SenderCount {
  readonly count: number;
}

/**
 * The nonces of EVM senders. Blocks take a sender's transactions in from nonce 0 upwards without a
 * gap, so a count describes the mined ones. A transaction above a gap waits in the mempool.
 * Transactions without a nonce (other networks, payments by outsiders) do not wait.
 */
export class Nonces {
  readonly #counts: Table<SenderCount>;
  readonly #unnumbered: Index<ChainTransaction>;
  readonly #senders: Index<ChainTransaction>;
  readonly #pending: Index<ChainTransaction>;

  constructor(state: State, transactions: Table<ChainTransaction>) {
    this.#counts = state.table('nonces');
    this.#unnumbered = transactions.index((row) =>
      row.status === 'mempool' && row.nonce === undefined ? [row.network] : [],
    );
    const pendingUnder = (keyOf: (sender: string, nonce: number) => string) =>
      transactions.index((row) =>
        row.status === 'mempool' && row.nonce !== undefined
          ? [keyOf(senderOf(row), row.nonce)]
          : [],
      );
    this.#senders = pendingUnder((sender) => sender);
    this.#pending = pendingUnder(nonceKey);
  }

  /** The lowest nonce that no mined or pending transaction of the sender has. */
  next(network: string, networkAddress: string): number {
    const sender = senderKey(network, networkAddress);
    let nonce = this.#count(sender);
    while (this.#pending.count(nonceKey(sender, nonce)) > 0) nonce += 1;
    return nonce;
  }

  /** Whether all lower nonces of the sender are in blocks. */
  isDue(transaction: ChainTransaction): boolean {
    const { nonce } = transaction;
    return nonce === undefined || nonce <= this.#count(senderOf(transaction));
  }

  /** Whether a block could take in any pending transaction of the network. */
  isAnyDue(network: string): boolean {
    if (this.#unnumbered.count(network) > 0) return true;
    const prefix = senderKey(network, '');
    for (const sender of this.#senders.keys()) {
      if (!sender.startsWith(prefix)) continue;
      if (this.#pending.count(nonceKey(sender, this.#count(sender))) > 0) return true;
    }
    return false;
  }

  /** Pending transactions of the same sender with the next nonce. */
  following(transaction: ChainTransaction): ChainTransaction[] {
    const { nonce } = transaction;
    return nonce === undefined
      ? []
      : this.#pending.find(nonceKey(senderOf(transaction), nonce + 1));
  }

  /** Counts a transaction that a block took in. */
  use(transaction: ChainTransaction): void {
    this.#add(transaction, 1);
  }

  /** Undoes `use`. A reorg removes whole blocks from the tip, so no gap appears. */
  giveBack(transaction: ChainTransaction): void {
    this.#add(transaction, -1);
  }

  #add(transaction: ChainTransaction, change: 1 | -1): void {
    if (transaction.nonce === undefined) return;
    const sender = senderOf(transaction);
    this.#counts.put(sender, { count: this.#count(sender) + change });
  }

  #count(sender: string): number {
    return this.#counts.get(sender)?.count ?? 0;
  }
}

/** The sender is the first source: EVM transactions have one. */
function senderOf(transaction: ChainTransaction): string {
  return senderKey(transaction.network, transaction.sources[0] ?? '');
}

function senderKey(network: string, networkAddress: string): string {
  return `${network}|${networkAddress}`;
}

function nonceKey(sender: string, nonce: number): string {
  return `${sender}|${nonce}`;
}
