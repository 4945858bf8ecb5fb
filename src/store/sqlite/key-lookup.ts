import type { Database } from 'better-sqlite3';
import type { HashKey } from '../../domain/ids.ts';
import {
  emptyTails,
  fingerprintOf,
  hashFinder,
  KEY_SPACES,
  keysAfter,
  type KeySpace,
} from './key-index.ts';

/**
 * Finds rows by random keys beside the writer: in the table `keys`, and among those that the writer
 * has not merged yet, which are read from their tables once and remembered until they are. To be
 * asked within a snapshot of the connection: what is found is of the same moment as the rows.
 */
export class KeyLookup {
  readonly #db: Database;
  readonly #find;
  readonly #marked;
  readonly #head;
  readonly #isHash;
  /** The number of a hash, if the store knows it. */
  readonly hashId: (hash: HashKey) => number | undefined;
  #tails = emptyTails();
  /** How far `keys` went when the tails were begun, and how far they go. */
  #from = 0;
  #through = 0;

  constructor(db: Database) {
    this.#db = db;
    this.#find = db
      .prepare<[number, number], number>('SELECT row FROM keys WHERE space = ? AND fingerprint = ?')
      .pluck();
    this.#marked = db.prepare<[], number>('SELECT through_seq FROM keys_merged').pluck();
    this.#head = db.prepare<[], number>('SELECT coalesce(max(seq), 0) FROM journal').pluck();
    this.#isHash = db
      .prepare<[number, string], number>(
        'SELECT 1 FROM hashes WHERE hash_id = ? AND blockchain_hash = ?',
      )
      .pluck();
    this.hashId = hashFinder(db, (key) => this.candidates('hash', key));
  }

  /** Rows that may have this key; whoever asks looks at the row itself. */
  candidates(space: KeySpace, key: string): readonly number[] {
    this.#catchUp();
    const fingerprint = fingerprintOf(key);
    const remembered = this.#tails[space].get(fingerprint);
    return [...remembered, ...this.#find.all(KEY_SPACES[space], fingerprint)];
  }

  /** What a list is filtered by: the numbers of a hash, or nothing where none is asked for. */
  filterOf(blockchainHash: string | undefined): number[] | undefined {
    return blockchainHash === undefined ? undefined : this.hashIds(blockchainHash);
  }

  /** The numbers that a hash has, one for each network that it was seen on. */
  hashIds(blockchainHash: string): number[] {
    const found = new Set(this.candidates('hash', blockchainHash));
    return [...found].filter((id) => this.#isHash.get(id, blockchainHash) !== undefined);
  }

  #catchUp(): void {
    const head = this.#head.get() ?? 0;
    if (head === this.#through) return;
    const merged = this.#marked.get() ?? 0;
    if (merged !== this.#from) {
      this.#tails = emptyTails();
      this.#from = merged;
      this.#through = merged;
    }
    for (const { space, key, row } of keysAfter(this.#db, this.#through)) {
      this.#tails[space].add(fingerprintOf(key), row);
    }
    this.#through = head;
  }
}
