import {
  firstEntryIdOf,
  type BlockchainHash,
  type HashKey,
  type NetworkKey,
} from '../../../domain/ids.ts';
import type { KeyIndex } from './key-index.ts';

/** Numbers kept in memory, so that writing the rows of a hash need not look its number up again. */
const KEPT_MAX = 100_000;

/**
 * The numbers of blockchain hashes in the tables (`hash_id` in schema.sql). A number is the journal
 * position of the first fact that names the hash, times 1,000,000. Each further new hash of that fact
 * adds 1.
 */
export class HashNumbers {
  readonly #keys: KeyIndex;
  readonly #kept = new Map<NetworkKey, Map<BlockchainHash, number>>();
  #keptCount = 0;
  /** The fact that named a hash last, and how many it has named. */
  #named = { seq: 0, count: 0 };

  constructor(keys: KeyIndex) {
    this.#keys = keys;
  }

  /** The number of a hash; undefined where the store does not know the hash. */
  find(hash: HashKey): number | undefined {
    const kept = this.#kept.get(hash.network)?.get(hash.blockchainHash);
    if (kept !== undefined) return kept;
    const stored = this.#keys.hashId(hash);
    if (stored !== undefined) this.#keep(hash, stored);
    return stored;
  }

  /** The number of a hash that the store knows. */
  of(hash: HashKey): number {
    const found = this.find(hash);
    if (found === undefined)
      throw new Error(`${hash.network} ${hash.blockchainHash} has no number`);
    return found;
  }

  /** Gives a new hash its number: the fact at `seq` is the first to name it. */
  add(hash: HashKey, seq: number): number {
    const count = this.#named.seq === seq ? this.#named.count : 0;
    this.#named = { seq, count: count + 1 };
    const hashId = firstEntryIdOf(seq) + count;
    this.#keys.add({ space: 'hash', key: hash.blockchainHash, row: hashId });
    this.#keep(hash, hashId);
    return hashId;
  }

  /** Forgets the numbers that a transaction that did not commit may have given. */
  forget(): void {
    this.#kept.clear();
    this.#keptCount = 0;
    this.#named = { seq: 0, count: 0 };
  }

  #keep({ network, blockchainHash }: HashKey, hashId: number): void {
    if (this.#keptCount >= KEPT_MAX) {
      this.#kept.clear();
      this.#keptCount = 0;
    }
    const ofNetwork = this.#kept.get(network) ?? new Map<BlockchainHash, number>();
    ofNetwork.set(blockchainHash, hashId);
    this.#kept.set(network, ofNetwork);
    this.#keptCount += 1;
  }
}
