import type { CountedEffect, CustodyReading } from './record.ts';
import { groupedBy } from '../grouped.ts';
import type { BlockchainHash, HashKey, VaultId } from '../ids.ts';

/**
 * What a close read from the custody API, by hash. Every changed transaction may be a difference
 * that needs an explanation, so none searches the whole reading.
 */
export class ReadingByHash {
  readonly #counted: ReadonlyMap<BlockchainHash, readonly CountedEffect[]>;
  readonly #pending: ReadonlySet<BlockchainHash>;

  constructor(custody: CustodyReading) {
    const { counted, pending } = custody.kind === 'read' ? custody : { counted: [], pending: [] };
    this.#counted = groupedBy(counted, ({ blockchainHash }) => blockchainHash);
    this.#pending = new Set(pending);
  }

  /** Whether the API has not published the balance changes of a hash yet. */
  isPending({ blockchainHash }: Pick<HashKey, 'blockchainHash'>): boolean {
    return this.#pending.has(blockchainHash);
  }

  /** Transactions of a hash in a vault whose effect changed since the last reading. */
  changed({ network, blockchainHash }: HashKey, vaultId: VaultId): readonly CountedEffect[] {
    const ofHash = this.#counted.get(blockchainHash) ?? [];
    return ofHash.filter((one) => one.network === network && one.vaultId === vaultId);
  }
}
