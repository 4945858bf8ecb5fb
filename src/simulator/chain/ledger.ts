import type { State } from '../state/state.ts';
import type { Index, Table } from '../state/table.ts';
import { effectsOf, outpoint } from './chain-transaction.ts';
import type { ChainTransaction } from './chain-transaction.ts';

/** The balance of an address in one asset, in blocks. */
export interface Holding {
  network: string;
  networkAddress: string;
  asset: string;
  amount: bigint;
}

/** An output in a block. `spentBy` is the hash of the mined transaction that spent it, or null. */
export interface Unspent {
  outpoint: string;
  network: string;
  networkAddress: string;
  amount: bigint;
  spentBy: string | null;
}

/**
 * Balances and unspent outputs of the mined transactions. Mining applies a transaction, a reorg
 * undoes it. Pending transactions do not count.
 */
export class Ledger {
  readonly #holdings: Table<Holding>;
  readonly #outputs: Table<Unspent>;
  readonly #outputsByAddress: Index<Unspent>;

  constructor(state: State) {
    this.#holdings = state.table('holdings');
    this.#outputs = state.table('outputs');
    this.#outputsByAddress = this.#outputs.index((row) =>
      row.spentBy === null ? [`${row.network}|${row.networkAddress}`] : [],
    );
  }

  balance(network: string, networkAddress: string, asset: string): bigint {
    return this.#holdings.get(holdingKey(network, networkAddress, asset))?.amount ?? 0n;
  }

  /** All balances, including those of outsiders that custody has paid. */
  holdings(): IterableIterator<Holding> {
    return this.#holdings.list();
  }

  /** Unspent outputs of an address, oldest first. */
  unspent(network: string, networkAddress: string): Unspent[] {
    return this.#outputsByAddress.find(`${network}|${networkAddress}`);
  }

  output(outpointId: string): Unspent | undefined {
    return this.#outputs.get(outpointId);
  }

  /**
   * Whether a block may take the transaction in: its inputs are unspent and no balance becomes
   * negative.
   */
  canApply(transaction: ChainTransaction): boolean {
    if (transaction.spends.some((id) => this.#outputs.get(id)?.spentBy !== null)) return false;
    const net = new Map<string, bigint>();
    for (const { networkAddress, asset, amount } of effectsOf(transaction)) {
      const key = holdingKey(transaction.network, networkAddress, asset);
      net.set(key, (net.get(key) ?? 0n) + amount);
    }
    return [...net].every(([key, amount]) => {
      return amount >= 0n || (this.#holdings.get(key)?.amount ?? 0n) + amount >= 0n;
    });
  }

  apply(transaction: ChainTransaction): void {
    this.#move(transaction, 1n);
    for (const id of transaction.spends) this.#setSpent(id, transaction.hash);
    for (const [index, output] of transaction.outputs.entries()) {
      const id = outpoint(transaction.hash, index);
      const { network } = transaction;
      this.#outputs.put(id, { outpoint: id, network, ...output, spentBy: null });
    }
  }

  /** Undoes `apply`. Transactions that spend its outputs must be undone before. */
  unapply(transaction: ChainTransaction): void {
    this.#move(transaction, -1n);
    for (const index of transaction.outputs.keys()) {
      this.#outputs.delete(outpoint(transaction.hash, index));
    }
    for (const id of transaction.spends) this.#setSpent(id, null);
  }

  #move(transaction: ChainTransaction, sign: 1n | -1n): void {
    const { network } = transaction;
    for (const { networkAddress, asset, amount } of effectsOf(transaction)) {
      const key = holdingKey(network, networkAddress, asset);
      const total = (this.#holdings.get(key)?.amount ?? 0n) + sign * amount;
      if (total === 0n) this.#holdings.delete(key);
      else this.#holdings.put(key, { network, networkAddress, asset, amount: total });
    }
  }

  #setSpent(id: string, spentBy: string | null): void {
    const output = this.#outputs.get(id);
    if (output === undefined) throw new Error(`no output ${id}`);
    this.#outputs.put(id, { ...output, spentBy });
  }
}

function holdingKey(network: string, networkAddress: string, asset: string): string {
  return `${network}|${networkAddress}|${asset}`;
}
