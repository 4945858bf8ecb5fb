import { hash } from 'node:crypto';
import type { Database } from 'better-sqlite3';
import { firstEntryIdOf, seqOfId, type HashKey } from '../../domain/ids.ts';
import { KeyFilter } from './key-filter.ts';
import { KeyTail } from './key-tail.ts';
import { ManyRows } from './statement.ts';

/** What is found by a random key, and what its row is (see `keys` in schema.sql). */
export const KEY_SPACES = { notification: 1, hash: 2, deposit: 3 } as const;
export type KeySpace = keyof typeof KEY_SPACES;
const SPACES = Object.keys(KEY_SPACES) as KeySpace[];

const FINGERPRINT_DIGITS = 12;
const FINGERPRINTS = 16 ** FINGERPRINT_DIGITS;

/** Keys merged at once touch many pages; this many of them share each. */
const TAIL_MIN = 131_072;
const TAIL_MAX = 262_144;
/** A tail of this part of what is merged already puts a few keys on each page that it touches. */
const TAIL_PART = 32;
/** Keys merged with a commit that adds none. */
const MERGED_AT_ONCE_MIN = 16;

/** The first 48 bits of the SHA-256 of a key: a number that a double holds exactly. */
export function fingerprintOf(key: string): number {
  // As text: a buffer for each digest takes three times as long to make and to let go.
  return parseInt(hash('sha256', key, 'hex').slice(0, FINGERPRINT_DIGITS), 16);
}

/** Finds the number of a hash among those that may be its own; undefined when it has none. */
export function hashFinder(
  db: Database,
  candidates: (blockchainHash: string) => readonly number[],
): (hash: HashKey) => number | undefined {
  const isHash = db
    .prepare<[number, string, string], number>(
      'SELECT 1 FROM hashes WHERE hash_id = ? AND network = ? AND blockchain_hash = ?',
    )
    .pluck();
  return ({ network, blockchainHash }) =>
    candidates(blockchainHash).find(
      (hashId) => isHash.get(hashId, network, blockchainHash) !== undefined,
    );
}

/** Keys that are not in the table yet, by space. */
export type Tails = Record<KeySpace, KeyTail>;

export function emptyTails(): Tails {
  return { notification: new KeyTail(), hash: new KeyTail(), deposit: new KeyTail() };
}

/** A key of a table's row, as the tables tell it. */
export interface KeyedRow {
  readonly space: KeySpace;
  readonly key: string;
  readonly row: number;
}

/** A key with the fact that brought it. */
interface ToldKey extends KeyedRow {
  readonly seq: number;
}

/** Every key of the facts after one of them, from the tables themselves. */
export function* keysAfter(db: Database, afterSeq: number): Generator<ToldKey> {
  const notifications = db
    .prepare<[number], [string, number]>('SELECT id, seq FROM notifications WHERE seq > ?')
    .raw();
  for (const [key, seq] of notifications.iterate(afterSeq)) {
    yield { space: 'notification', key, row: seq, seq };
  }
  const hashes = db
    .prepare<[number], [string, number]>(
      'SELECT blockchain_hash, hash_id FROM hashes WHERE hash_id >= ?',
    )
    .raw();
  for (const [key, row] of hashes.iterate(firstEntryIdOf(afterSeq + 1))) {
    yield { space: 'hash', key, row, seq: seqOfId(row) };
  }
  const deposits = db
    .prepare<[number], [string, number, number]>(
      'SELECT deposit_id, hash_id, first_seq FROM deposits WHERE first_seq > ?',
    )
    .raw();
  for (const [key, row, seq] of deposits.iterate(afterSeq)) {
    yield { space: 'deposit', key, row, seq };
  }
}

/** Fingerprints read at once: a list of some thousand is cheaper than one row after the other. */
const READ_AT_ONCE = 4_096;

/** Told at start, now and again, which part of a space's keys has been read: from 0 to 1. */
export type KeysRead = (space: KeySpace, part: number) => void;

/** A filter with every fingerprint in the table. Some 150 to 300 ms for a million. */
function filterOf(db: Database, mergedThrough: number, told: KeysRead): KeyFilter {
  // A fact brings one key or two.
  const filter = new KeyFilter(2 * mergedThrough);
  const read = db
    .prepare<[number, number, number], number>(
      `SELECT fingerprint FROM keys WHERE space = ? AND fingerprint > ?
       ORDER BY fingerprint LIMIT ?`,
    )
    .pluck();
  for (const space of SPACES) {
    let last: number | undefined = -1;
    while (last !== undefined) {
      const fingerprints: number[] = read.all(KEY_SPACES[space], last, READ_AT_ONCE);
      for (const fingerprint of fingerprints) filter.add(fingerprint);
      last = fingerprints.at(-1);
      // Digests are spread evenly.
      told(space, (last ?? FINGERPRINTS) / FINGERPRINTS);
    }
  }
  return filter;
}

const NO_ROWS: readonly number[] = [];

/** The keys of one space in order, and how many of them are in the table. */
interface Sorted {
  readonly space: KeySpace;
  readonly fingerprints: Float64Array;
  readonly at: number;
}

/** A tail that takes no more keys and is being merged, in sorted order; replaced at every step. */
interface Merge {
  readonly tails: Tails;
  /** The last fact whose keys it holds. */
  readonly throughSeq: number;
  /** Those not begun yet. */
  readonly spaces: readonly KeySpace[];
  readonly sorted: Sorted | undefined;
}

/** With the keys of its next space in order; as it is when none is left. */
function withNextSpace(merge: Merge): Merge {
  const [space, ...spaces] = merge.spaces;
  if (space === undefined) return merge;
  const fingerprints = merge.tails[space].sorted();
  return { ...merge, spaces, sorted: { space, fingerprints, at: 0 } };
}

/** What the index knew before the transaction under way. */
interface Before {
  readonly growing: Tails;
  readonly merging: Merge | undefined;
  readonly mergedThrough: number;
  /** Keys that the transaction has added. */
  readonly added: {
    readonly space: KeySpace;
    readonly fingerprint: number;
    readonly row: number;
  }[];
}

/**
 * Finds rows by random keys, exactly. New keys stay in memory until there are enough of them, and
 * are then merged into the table `keys` in sorted order, some with every commit: putting each in
 * its place at once would cost a page of its own per key, and the more of them the larger the store.
 * `keys_merged` moves when a whole tail is in the table; at start the keys of later facts are read
 * from their tables again. `committed` or `rolledBack` ends every transaction.
 */
export class KeyIndex {
  readonly #find;
  readonly #insert;
  readonly #mark;
  /** The number of a hash, if the store knows it. */
  readonly hashId: (hash: HashKey) => number | undefined;
  /** Of every key in the table, and of some that a transaction did not keep there. */
  readonly #filter: KeyFilter;
  #mergedThrough = 0;
  #growing = emptyTails();
  #merging: Merge | undefined;
  #added = 0;
  /** Fingerprints since the last `advance`: what is not found is nearly always added then. */
  readonly #asked = new Map<string, number>();
  #before: Before | undefined;

  readonly #tailMin: number;

  /** `tailMin`: how many keys of a space make a tail worth merging while the store is small. */
  constructor(db: Database, tailMin = TAIL_MIN, told: KeysRead = () => undefined) {
    this.#tailMin = tailMin;
    this.#find = db
      .prepare<[number, number], number>('SELECT row FROM keys WHERE space = ? AND fingerprint = ?')
      .pluck();
    this.#insert = new ManyRows<[number, number, number]>(db, {
      into: 'INSERT OR IGNORE INTO keys (space, fingerprint, row)',
      columns: 3,
    });
    this.#mark = db.prepare<[number]>('UPDATE keys_merged SET through_seq = ?');
    this.hashId = hashFinder(db, (key) => this.candidates('hash', key));
    const marked = db.prepare<[], number>('SELECT through_seq FROM keys_merged').pluck();
    this.#mergedThrough = marked.get() ?? 0;
    this.#filter = filterOf(db, this.#mergedThrough, told);
    for (const { space, key, row } of keysAfter(db, this.#mergedThrough)) {
      this.#growing[space].add(fingerprintOf(key), row);
    }
  }

  add({ space, key, row }: KeyedRow): void {
    const fingerprint = this.#asked.get(key) ?? fingerprintOf(key);
    this.#begun().added.push({ space, fingerprint, row });
    this.#growing[space].add(fingerprint, row);
    this.#added += 1;
  }

  committed(): void {
    this.#before = undefined;
  }

  /** Forgets what the transaction has added, without asking the store, which may be unwell. */
  rolledBack(): void {
    this.#asked.clear();
    const before = this.#before;
    if (before === undefined) return;
    this.#before = undefined;
    this.#added = 0;
    this.#growing = before.growing;
    this.#mergedThrough = before.mergedThrough;
    for (const { space, fingerprint, row } of before.added) {
      this.#growing[space].remove(fingerprint, row);
    }
    // What it had merged is not in the table any more; what was merged before it is.
    this.#merging = before.merging;
  }

  #begun(): Before {
    this.#before ??= {
      growing: this.#growing,
      merging: this.#merging,
      mergedThrough: this.#mergedThrough,
      added: [],
    };
    return this.#before;
  }

  /** Rows that may have this key; whoever asks looks at the row itself. */
  candidates(space: KeySpace, key: string): readonly number[] {
    const fingerprint = fingerprintOf(key);
    this.#asked.set(key, fingerprint);
    const growing = this.#growing[space].get(fingerprint);
    const merging = this.#merging?.tails[space].get(fingerprint) ?? [];
    const merged = this.#filter.mayHold(fingerprint)
      ? this.#find.all(KEY_SPACES[space], fingerprint)
      : NO_ROWS;
    if (growing.length + merging.length === 0) return merged;
    return [...growing, ...merging, ...merged];
  }

  /**
   * Merges some keys, in the transaction that writes those of the facts up to `headSeq`: twice as
   * many as it adds, so that a tail is merged before the next has grown half as long.
   */
  advance(headSeq: number): void {
    this.#begun();
    this.#asked.clear();
    const room = 2 * this.#added + MERGED_AT_ONCE_MIN;
    this.#added = 0;
    if (this.#merging === undefined) {
      const enough = Math.min(TAIL_MAX, Math.max(this.#tailMin, this.#mergedThrough / TAIL_PART));
      // Evidence from the custody API brings hashes and deposits without any notification.
      if (Math.max(...SPACES.map((space) => this.#growing[space].size)) < enough) return;
      const tails = this.#growing;
      this.#merging = { tails, throughSeq: headSeq, spaces: SPACES, sorted: undefined };
      this.#growing = emptyTails();
    }
    this.#merge(this.#merging, room);
  }

  #merge(merge: Merge, room: number): void {
    const begun = merge.sorted === undefined ? withNextSpace(merge) : merge;
    const { sorted } = begun;
    if (sorted === undefined) {
      this.#mark.run(merge.throughSeq);
      this.#mergedThrough = merge.throughSeq;
      this.#merging = undefined;
      return;
    }
    const { space, fingerprints, at } = sorted;
    const end = Math.min(fingerprints.length, at + room);
    const rows: [number, number, number][] = [];
    for (const fingerprint of fingerprints.subarray(at, end)) {
      this.#filter.add(fingerprint);
      for (const row of merge.tails[space].get(fingerprint)) {
        rows.push([KEY_SPACES[space], fingerprint, row]);
      }
    }
    this.#insert.insert(rows);
    const left = end === fingerprints.length ? undefined : { ...sorted, at: end };
    this.#merging = { ...begun, sorted: left };
  }
}
