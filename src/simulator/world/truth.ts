import type { Chain } from '../chain/chain.ts';
import { effectsOf } from '../chain/chain-transaction.ts';
import type { ChangeReport } from '../chain/change-report.ts';
import type { IncomingBook } from '../transactions/incoming-book.ts';
import type { CustodyRegistry } from '../vaults/custody-registry.ts';
import type { AddressRecord, TruthBalance, TruthTransaction } from './world.ts';

/** What really is, read from the chains and not from anything that was told. */
export class Truth {
  readonly #registry: CustodyRegistry;
  readonly #chain: Chain;
  readonly #incomings: IncomingBook;
  readonly #report: ChangeReport;

  constructor(options: {
    registry: CustodyRegistry;
    chain: Chain;
    incomings: IncomingBook;
    report: ChangeReport;
  }) {
    this.#registry = options.registry;
    this.#chain = options.chain;
    this.#incomings = options.incomings;
    this.#report = options.report;
  }

  /**
   * Balances by address; what arrived on a registered memo stands apart, and every debit is the
   * address's own.
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
      movements: this.#report
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
