import type { Database } from 'better-sqlite3';
import { spellingOf } from '../../../domain/chain/network-address.ts';
import type { HashKey } from '../../../domain/ids.ts';
import { KeyBuckets } from './key-buckets.ts';
import {
  fingerprintOf,
  hashFinder,
  KEY_SPACES,
  keysAfter,
  keyTable,
  type KeySpace,
} from './key.ts';

/** Facts whose keys one step reads: some 40 ms. */
const FACTS_PER_STEP = 10_000;

/** Rows on one side of a row, which counts too, the nearest first. */
interface RowsBeside {
  /** Null begins at the newest row, or at the oldest for the side `newer`. */
  readonly from: number | null;
  readonly side: 'older' | 'newer';
  readonly limit: number;
}

function rowsBeside(db: Database, [sign, way]: readonly [sign: string, way: string]) {
  return db
    .prepare<[space: number, fingerprint: number, from: number, limit: number], number>(
      `SELECT row FROM keys WHERE space = ? AND fingerprint = ? AND row ${sign} ?
       ORDER BY row ${way} LIMIT ?`,
    )
    .pluck();
}

/**
 * Finds rows by random keys on a reader's connection. It reads the table `keys`, and keys that the
 * writer has not written there yet from their own tables, once. Call it within a snapshot of the
 * connection, so that keys and rows are of the same moment.
 */
export class KeyLookup {
  readonly #db: Database;
  readonly #factsPerStep: number;
  readonly #stored;
  readonly #storedBeside;
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

  /** `factsPerStep`: facts whose keys one step reads. */
  constructor(db: Database, factsPerStep = FACTS_PER_STEP) {
    this.#db = db;
    this.#factsPerStep = factsPerStep;
    this.#stored = keyTable(db);
    this.#storedBeside = {
      older: rowsBeside(db, ['<=', 'DESC']),
      newer: rowsBeside(db, ['>=', 'ASC']),
    };
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
    const fingerprint = fingerprintOf(key);
    return [...this.#read(space, fingerprint), ...this.#stored(space, fingerprint)];
  }

  /**
   * The numbers of hashes that may have a deposit at an on-chain address, each once. An address
   * can have very many, so a caller asks for some of them, beside a row.
   */
  atAddress(networkAddress: string, { from, side, limit }: RowsBeside): number[] {
    const fingerprint = fingerprintOf(spellingOf(networkAddress));
    const isOlder = side === 'older';
    const start = from ?? (isOlder ? Number.MAX_SAFE_INTEGER : 0);
    const read = this.#read('address', fingerprint).filter((row) =>
      isOlder ? row <= start : row >= start,
    );
    const stored = this.#storedBeside[side].all(KEY_SPACES.address, fingerprint, start, limit);
    return [...new Set([...read, ...stored])]
      .sort((left, right) => (isOlder ? right - left : left - right))
      .slice(0, limit);
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

  /** Rows whose keys the writer may not have written yet. */
  #read(space: KeySpace, fingerprint: number): number[] {
    this.#catchUp();
    return [...this.#older.rows(space, fingerprint), ...this.#newer.rows(space, fingerprint)];
  }

  /**
   * Reads the keys of some further facts. Returns whether those of all facts are read. A large store
   * has a second's work at first; in steps, a reader answers other calls meanwhile.
   */
  step(): boolean {
    const head = this.#head.get() ?? 0;
    if (head === this.#through) return true;
    const marked = this.#marked.get() ?? 0;
    if (marked >= this.#turnedAt) {
      this.#older = this.#newer;
      this.#newer = new KeyBuckets();
      this.#turnedAt = this.#through;
    }
    const from = Math.max(marked, this.#through);
    const through = Math.min(head, from + this.#factsPerStep);
    for (const { space, key, row } of keysAfter(this.#db, from, through)) {
      this.#newer.add(space, fingerprintOf(key), row);
    }
    this.#through = through;
    return through === head;
  }

  #catchUp(): void {
    while (!this.step());
  }
}
