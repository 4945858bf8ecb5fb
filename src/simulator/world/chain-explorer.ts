import type { Chain } from '../chain/chain.ts';
import { effectsOf } from '../chain/chain-transaction.ts';
import type { CustodyRegistry } from '../vaults/custody-registry.ts';
import type { BlockInfo, OnChainTransaction } from './on-chain.ts';

/** Reads blocks and transactions as a public chain explorer shows them. */
export class ChainExplorer {
  readonly #registry: CustodyRegistry;
  readonly #chain: Chain;

  constructor(options: { registry: CustodyRegistry; chain: Chain }) {
    this.#registry = options.registry;
    this.#chain = options.chain;
  }

  blocks(network: string): BlockInfo[] {
    const blocks = new Map<number, BlockInfo>();
    for (const transaction of this.#chain.transactions()) {
      const { blockHeight, minedAtMs, hash } = transaction;
      if (transaction.network !== network || blockHeight === null) continue;
      const block = blocks.get(blockHeight);
      if (block !== undefined) {
        block.blockchainHashes.push(hash);
        continue;
      }
      blocks.set(blockHeight, {
        height: blockHeight,
        minedAt: minedAtMs ?? transaction.firstSeenMs,
        confirmations: this.#chain.confirmations(transaction),
        blockchainHashes: [hash],
      });
    }
    return [...blocks.values()].sort((left, right) => right.height - left.height);
  }

  transaction(blockchainHash: string): OnChainTransaction | undefined {
    const transaction = this.#chain.transaction(blockchainHash);
    if (transaction === undefined) return undefined;
    const { network, status } = transaction;
    // Before a block takes it in, nobody knows that it will revert.
    const movements = status === 'mined' ? effectsOf(transaction) : transaction.movements;
    return {
      network,
      blockchainHash,
      status: status === 'mined' ? 'confirmed' : status,
      reverted: status === 'mined' && transaction.reverts,
      firstSeenAt: transaction.firstSeenMs,
      minedAt: transaction.minedAtMs,
      blockHeight: transaction.blockHeight,
      confirmations: this.#chain.confirmations(transaction),
      transactionId: transaction.transactionId,
      replaces: transaction.replaces,
      metadata: transaction.metadata,
      movements: movements.map(({ networkAddress, asset, amount, tags, memo }) => {
        const owner = this.#registry.custodyAddress(network, networkAddress);
        return {
          networkAddress,
          vaultId: owner?.vaultId ?? null,
          addressId: owner?.addressId ?? null,
          memo: memo ?? null,
          asset,
          amount,
          tags: [...tags],
        };
      }),
    };
  }
}
