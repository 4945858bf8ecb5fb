import type { Database } from 'better-sqlite3';
import type { HashKey } from '../../../domain/ids.ts';
import { KeyBuckets } from './key-buckets.ts';
import { fingerprintOf, hashFinder, keysAfter, keyTable, type KeySpace } from './key.ts';

/**
 * Finds rows by random keys on a reader's connection. It reads the table `keys`, and keys that the
 * writer has not written there yet from their own tables, once. Call it within a snapshot of the
 * connection, so that keys and rows are of the same moment.
 */
export class KeyLookup {
  readonly #db: Database;
  readonly #stored;
  readonly #marked;
  readonly #head;
  readonly #isHash;
  /** The number of a hash; undefined when the store does not know it. */
  readonly hashId: (hash: HashKey) => number | undefined;
  /** Keys of the facts up to `#turnedAt`, and of the facts after it up to `#through`. */
  #older = new KeyBuckets();
  #newer = new KeyBuckets();
  #turnedAt = 0;
  #through = 0;

  constructor(db: Database) {
    this.#db = db;
    this.#stored = keyTable(db);
    this.#marked = db.prepare<[], number>('SELECT through_seq FROM keys_merged').pluck();
    this.#head = db.prepare<[], number>('SELECT coalesce(max(seq), 0) FROM journal').pluck();
    this.#isHash = db
      .prepare<[number, string], number>(
        'SELECT 1 FROM hashes WHERE hash_id = ? AND blockchain_hash = ?',
      )
      .pluck();
    this.hashId = hashFinder(db, (key) => this.candidates('hash', key));
  }

  /** Rows that may have this key; the caller compares the key in the row. */
  candidates(space: KeySpace, key: string): readonly number[] {
    this.#catchUp();
    const fingerprint = fingerprintOf(key);
    const read = [...this.#older.rows(space, fingerprint), ...this.#newer.rows(space, fingerprint)];
    return [...read, ...this.#stored(space, fingerprint)];
  }

  /** The numbers of a hash as a list filter; undefined, which filters nothing, without a hash. */
  filterOf(blockchainHash: string | undefined): number[] | undefined {
    return blockchainHash === undefined ? undefined : this.hashIds(blockchainHash);
  }

  /** The numbers of a hash, one for each network on which it was seen. */
  hashIds(blockchainHash: string): number[] {
    const found = new Set(this.candidates('hash', blockchainHash));
    return [...found].filter((id) => this.#isHash.get(id, blockchainHash) !== undefined);
  }

  #catchUp(): void {
    const head = this.#head.get() ?? 0;
    if (head === this.#through) return;
    const marked = this.#marked.get() ?? 0;
    if (marked >= this.#turnedAt) {
      this.#older = this.#newer;
      this.#newer = new KeyBuckets();
      this.#turnedAt = this.#through;
    }
    const from = Math.max(marked, this.#through);
    for (const { space, key, row } of keysAfter(this.#db, from)) {
      this.#newer.add(space, fingerprintOf(key), row);
    }
    this.#through = head;
  }
}
