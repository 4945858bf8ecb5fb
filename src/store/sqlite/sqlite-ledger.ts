import Database from 'better-sqlite3';
import { statSync } from 'node:fs';
import type { Fact } from '../../domain/fact/fact.ts';
import { Bookkeeper } from '../bookkeeping/bookkeeper.ts';
import { newsOf } from '../commit-news.ts';
import type { CommitResult, DecodeBody, FactOutcome, Ledger } from '../port.ts';
import type { JournalRow } from '../records.ts';
import type { Writes } from '../writes.ts';
import { GENESIS_HASH, sealHash } from '../seal.ts';
import { BUSY_TIMEOUT_MS } from './file/database.ts';
import { HashNumbers } from './keys/hash-numbers.ts';
import { KeyIndex } from './keys/key-index.ts';
import { SqliteRecords } from './writing/sqlite-records.ts';
import { SqliteWrites } from './writing/sqlite-writes.ts';
import { insertInto } from './table/statement.ts';

/** What a transaction brought, before it is known to be durable. */
interface Applied {
  readonly outcomes: readonly FactOutcome[];
  readonly head: ChainHead;
}

interface ChainHead {
  readonly commitNumber: number;
  readonly lastSeq: number;
  readonly hash: Uint8Array;
}

/** Pages in the log from which on the writer waits for readers, so that it can begin anew. */
const LOG_PAGES_MAX = 16_000;
const RESTART_WAIT_MS = 250;

/**
 * SQLite result codes that say "not now" rather than "never": the sender must retry. A damaged file is
 * among them: it says nothing about the fact, and what is answered by it would be lost with it.
 */
const UNAVAILABLE =
  /^SQLITE_(FULL|IOERR|BUSY|LOCKED|NOMEM|READONLY|CANTOPEN|PROTOCOL|CORRUPT|NOTADB)/;

const MOVED: CommitResult = {
  kind: 'unavailable',
  cause: 'the store is not where it was: its file was moved, replaced or removed under the daemon',
};

/** Device and number of the file at a path: a moved one is another, by whatever name. */
function fileAt(path: string): string | null {
  const at = statSync(path, { bigint: true, throwIfNoEntry: false });
  return at === undefined ? null : `${at.dev} ${at.ino}`;
}

export interface LedgerOptions {
  readonly decode: DecodeBody;
  /** Wall clock, Unix milliseconds: when a commit is sealed. */
  readonly now: () => number;
  /** Who copies the log into the file: the commits themselves, now and then, or another thread. */
  readonly checkpoints?: 'here' | 'elsewhere';
  /** See `KeyIndex`. */
  readonly keysKeptMax?: number;
  /** See `Bookkeeper`. */
  readonly askedForMax?: number;
  /** Pages in the log from which on `tidy` waits for readers. */
  readonly logPagesMax?: number;
  /** See `Bookkeeper`. */
  readonly replays?: boolean;
}

/**
 * The one writer of a SQLite store. A commit is one immediate transaction: facts are applied in
 * order, sealed into the journal's hash chain, and fsynced once.
 */
export class SqliteLedger implements Ledger {
  readonly #db: Database.Database;
  /** Which file it is; null in memory. */
  readonly #file: string | null;
  readonly #decode: DecodeBody;
  readonly #now: () => number;
  readonly #askedForMax: number | undefined;
  readonly #logPagesMax: number;
  readonly #replays: boolean | undefined;
  /** How many pages of the log were copied when `tidy` last looked. */
  #copiedPages = 0;
  readonly #records: SqliteRecords;
  readonly #writes: SqliteWrites;
  readonly #insertSeal;
  readonly #lastSeal;
  readonly #transact: (all: readonly Fact[]) => Applied;
  #head: ChainHead;
  #keeper: Bookkeeper | undefined;
  /** What the commit under way writes. */
  #written: Writes[] = [];

  constructor(db: Database.Database, options: LedgerOptions) {
    this.#db = db;
    this.#file = fileAt(db.name);
    if (options.checkpoints === 'elsewhere') db.pragma('wal_autocheckpoint = 0');
    this.#decode = options.decode;
    this.#now = options.now;
    this.#askedForMax = options.askedForMax;
    this.#replays = options.replays;
    this.#logPagesMax = options.logPagesMax ?? LOG_PAGES_MAX;
    const keys = new KeyIndex(db, options.keysKeptMax);
    this.#insertSeal = insertInto(db, 'seals');
    this.#lastSeal = db.prepare<[], ChainHead>(
      `SELECT commit_number AS commitNumber, last_seq AS lastSeq, hash FROM seals
       ORDER BY commit_number DESC LIMIT 1`,
    );
    this.#head = this.#readHead();
    const hashes = new HashNumbers(keys);
    this.#records = new SqliteRecords(db, keys, hashes);
    this.#writes = new SqliteWrites(db, keys, hashes);
    const transaction = db.transaction((all: readonly Fact[]) => this.#applyAll(all));
    this.#transact = (all) => transaction.immediate(all);
  }

  async commit(facts: readonly Fact[]): Promise<CommitResult> {
    try {
      const { outcomes, head } = this.#transact(facts);
      this.#head = head;
      this.#writes.committed();
      // In a file that nobody will open again nothing is kept.
      if (fileAt(this.#db.name) !== this.#file) return MOVED;
      const news = newsOf(this.#written);
      return news === undefined
        ? { kind: 'committed', outcomes }
        : { kind: 'committed', outcomes, news };
    } catch (error) {
      this.#keeper = undefined;
      this.#writes.forget();
      this.#records.forget();
      if (error instanceof Database.SqliteError && UNAVAILABLE.test(error.code)) {
        return { kind: 'unavailable', cause: `${error.code}: ${error.message}` };
      }
      throw error;
    }
  }

  /**
   * After another connection has copied the log: copies the little that was committed meanwhile, so
   * that the next commit finds the whole log copied and begins it anew. Readers that follow one
   * another always hold a part of the log, so the writer waits for a moment between two. It does not
   * wait for one long reader, a backup say: behind that no more pages are copied than last time.
   */
  tidy(): void {
    try {
      const [state] = this.#db.pragma('wal_checkpoint(PASSIVE)') as {
        log: number;
        checkpointed: number;
      }[];
      const { log, checkpointed } = state ?? { log: 0, checkpointed: 0 };
      const isHeld = checkpointed < log && checkpointed === this.#copiedPages;
      this.#copiedPages = checkpointed;
      if (log > this.#logPagesMax && !isHeld) this.#restartLog();
    } catch {
      // Not now: the log goes on growing until the next time, and nothing is lost.
    }
  }

  #restartLog(): void {
    this.#db.pragma(`busy_timeout = ${RESTART_WAIT_MS}`);
    try {
      this.#db.pragma('wal_checkpoint(RESTART)');
    } finally {
      this.#db.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
    }
  }

  close(): void {
    this.#db.close();
  }

  #readHead(): ChainHead {
    return this.#lastSeal.get() ?? { commitNumber: 0, lastSeq: 0, hash: GENESIS_HASH };
  }

  #applyAll(facts: readonly Fact[]): Applied {
    this.#written = [];
    this.#keeper ??= this.#newKeeper();
    const keeper = this.#keeper;
    keeper.tidy();
    const outcomes = facts.map((one) => keeper.take(one));
    keeper.flush();
    return { outcomes, head: this.#seal(this.#written.flatMap((writes) => writes.journal)) };
  }

  #newKeeper(): Bookkeeper {
    return new Bookkeeper({
      source: this.#records,
      journalHead: this.#head.lastSeq,
      write: (writes: Writes) => {
        this.#writes.write(writes);
        this.#written.push(writes);
      },
      decode: this.#decode,
      askedForMax: this.#askedForMax,
      replays: this.#replays,
    });
  }

  #seal(rows: readonly JournalRow[]): ChainHead {
    const first = rows[0];
    const last = rows.at(-1);
    if (first === undefined || last === undefined) return this.#head;
    const sealedAt = this.#now();
    const hash = sealHash(this.#head.hash, { sealedAt, rows });
    const commitNumber = this.#head.commitNumber + 1;
    this.#insertSeal.run({
      commit_number: commitNumber,
      first_seq: first.seq,
      last_seq: last.seq,
      sealed_at: sealedAt,
      previous_hash: this.#head.hash,
      hash,
    });
    return { commitNumber, lastSeq: last.seq, hash };
  }
}
