import type { Database } from 'better-sqlite3';
import type { HashKey } from '../../../domain/ids.ts';
import { BUCKETS, KeyBuckets } from './key-buckets.ts';
import {
  fingerprintOf,
  hashFinder,
  keysAfter,
  keyTable,
  KEY_SPACES,
  type KeyedRow,
  type KeySpace,
} from './key.ts';

/** Most keys in memory: enough that keys of one bucket share pages of a large table. */
const KEPT_MAX = 131_072;
/** Fewest keys that a commit writes while memory holds more than `KEPT_MAX`, as after a start. */
const WRITTEN_MIN = 16;

/** How far a sweep has written the keys; sweeps go from the first bucket to the last. */
interface Sweep {
  /** The next bucket to write. */
  readonly bucket: number;
  /** Position of the last fact when this sweep began. */
  readonly throughSeq: number;
}

/**
 * Finds rows by random keys. Writing a random key at once would cost a page write, so new keys stay
 * in memory and each commit writes a few buckets to the table `keys`. When a sweep over all buckets
 * ends, `keys_merged` records the last fact before it. At start, the keys of later facts are read
 * from their own tables. `committed` or `rolledBack` must end every transaction.
 */
export class KeyIndex {
  readonly #kept = new KeyBuckets();
  readonly #keptMax: number;
  readonly #stored;
  readonly #insert;
  readonly #mark;
  /** The number of a hash; undefined when the store does not know it. */
  readonly hashId: (hash: HashKey) => number | undefined;
  #sweep: Sweep = { bucket: 0, throughSeq: 0 };
  /** Fingerprints that the current transaction added. */
  #added: number[] = [];
  /** The sweep before the current transaction. */
  #sweepBefore: Sweep | undefined;
  /** Keys that the current transaction has written, by bucket. */
  readonly #written = new Map<number, number>();
  /** Keys added since the last `advance`. */
  #unswept = 0;

  /** `keptMax`: most keys in memory. */
  constructor(db: Database, keptMax = KEPT_MAX) {
    this.#keptMax = keptMax;
    this.#stored = keyTable(db);
    this.#insert = db.prepare<[number, number, number]>(
      'INSERT OR IGNORE INTO keys (space, fingerprint, row) VALUES (?, ?, ?)',
    );
    this.#mark = db.prepare<[number]>('UPDATE keys_merged SET through_seq = ?');
    this.hashId = hashFinder(db, (key) => this.candidates('hash', key));
    const marked = db.prepare<[], number>('SELECT through_seq FROM keys_merged').pluck().get() ?? 0;
    for (const { space, key, row } of keysAfter(db, marked)) {
      this.#kept.add(space, fingerprintOf(key), row);
    }
  }

  /** Rows that may have this key; the caller compares the key in the row. */
  candidates(space: KeySpace, key: string): number[] {
    const fingerprint = fingerprintOf(key);
    return [...this.#kept.rows(space, fingerprint), ...this.#stored(space, fingerprint)];
  }

  /** Adds the key of a row that the current transaction writes. */
  add({ space, key, row }: KeyedRow): void {
    const fingerprint = fingerprintOf(key);
    this.#kept.add(space, fingerprint, row);
    this.#added.push(fingerprint);
    this.#unswept += 1;
  }

  /**
   * Writes a later key of a row to the table at once. The row's first fact may be merged already, so
   * neither a start nor a reader would read this key from the row.
   */
  write({ space, key, row }: KeyedRow): void {
    this.#insert.run(KEY_SPACES[space], fingerprintOf(key), row);
  }

  /** Writes the keys of the next buckets, within the transaction of the facts up to `headSeq`. */
  advance(headSeq: number): void {
    this.#sweepBefore ??= this.#sweep;
    let room = 2 * this.#unswept + WRITTEN_MIN;
    this.#unswept = 0;
    let left = this.#kept.size;
    for (const count of this.#written.values()) left -= count;
    while (left > this.#keptMax && room > 0) {
      const { bucket } = this.#sweep;
      const throughSeq = bucket === 0 ? headSeq : this.#sweep.throughSeq;
      const keys = this.#kept.sorted(bucket);
      for (const key of keys) this.#insert.run(...key);
      const count = keys.length - (this.#written.get(bucket) ?? 0);
      this.#written.set(bucket, keys.length);
      left -= count;
      room -= count;
      if (bucket + 1 === BUCKETS) this.#mark.run(throughSeq);
      this.#sweep = { bucket: (bucket + 1) % BUCKETS, throughSeq };
    }
  }

  /** Removes the written keys from memory, after the transaction. */
  committed(): void {
    for (const [bucket, count] of this.#written) this.#kept.removeFirst(bucket, count);
    this.#end();
  }

  /** Removes the transaction's keys, without reading the store, which may be failing. */
  rolledBack(): void {
    for (const fingerprint of this.#added.toReversed()) this.#kept.removeLast(fingerprint);
    this.#sweep = this.#sweepBefore ?? this.#sweep;
    this.#end();
  }

  #end(): void {
    this.#added = [];
    this.#written.clear();
    this.#sweepBefore = undefined;
    this.#unswept = 0;
  }
}
