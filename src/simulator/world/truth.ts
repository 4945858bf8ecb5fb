import type { Chain } from '../chain/chain.ts';
import { effectsOf } from '../chain/chain-transaction.ts';
import type { BalanceChangeEntries } from '../chain/balance-change-entries.ts';
import type { IncomingBook } from '../transactions/incoming/incoming-book.ts';
import type { CustodyRegistry } from '../vaults/custody-registry.ts';
import type { AddressRecord } from './vault.ts';
import type { TruthBalance, TruthTransaction } from './on-chain.ts';

/** Balances and transactions read from the chains, independent of every notification. */
export class Truth {
  readonly #registry: CustodyRegistry;
  readonly #chain: Chain;
  readonly #incomings: IncomingBook;
  readonly #entries: BalanceChangeEntries;

  constructor(options: {
    registry: CustodyRegistry;
    chain: Chain;
    incomings: IncomingBook;
    entries: BalanceChangeEntries;
  }) {
    this.#registry = options.registry;
    this.#chain = options.chain;
    this.#incomings = options.incomings;
    this.#entries = options.entries;
  }

  /**
   * Balances by address. Credits on a registered memo have rows of their own. Every debit belongs
   * to the address itself.
   */
  balances(): TruthBalance[] {
    const rows = new Map<string, TruthBalance>();
    const add = (
      owner: Pick<AddressRecord, 'vaultId' | 'accountId' | 'addressId'>,
      change: { memo: string | null; asset: string; amount: bigint },
    ): void => {
      const { vaultId, accountId, addressId } = owner;
      const key = `${addressId}|${change.asset}|${change.memo ?? ''}|${change.memo === null}`;
      const row = rows.get(key);
      if (row === undefined) rows.set(key, { vaultId, accountId, addressId, ...change });
      else row.amount += change.amount;
    };
    for (const { network, networkAddress, asset, amount } of this.#chain.ledger.holdings()) {
      const owner = this.#registry.custodyAddress(network, networkAddress);
      if (owner !== undefined) add(owner, { memo: null, asset, amount });
    }
    for (const incoming of this.#incomings.list()) {
      const transaction = this.#chain.transaction(incoming.blockchainHash);
      if (incoming.memoId === null || transaction?.status !== 'mined') continue;
      for (const movement of this.#incomings.credits(incoming, transaction)) {
        const { asset, amount } = movement;
        add(incoming, { memo: incoming.memo, asset, amount });
        add(incoming, { memo: null, asset, amount: -amount });
      }
    }
    return [...rows.values()].filter((row) => row.amount !== 0n);
  }

  transactions(): TruthTransaction[] {
    return [...this.#chain.transactions()].map((transaction) => ({
      network: transaction.network,
      blockchainHash: transaction.hash,
      status: transaction.status === 'mined' ? 'confirmed' : transaction.status,
      reverted: transaction.reverts,
      blockHeight: transaction.blockHeight,
      confirmations: this.#chain.confirmations(transaction),
      transactionId: transaction.transactionId,
      movements: this.#entries
        .own(transaction.network, effectsOf(transaction))
        .map(({ owner, memo, asset, amount, tags }) => ({
          vaultId: owner.vaultId,
          accountId: owner.accountId,
          addressId: owner.addressId,
          memo: memo ?? null,
          asset,
          amount,
          tags: [...tags],
        })),
    }));
  }
}
