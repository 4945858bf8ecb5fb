import Database from 'better-sqlite3';
import { statSync } from 'node:fs';
import type { Fact } from '../../domain/fact/fact.ts';
import { Bookkeeper } from '../bookkeeping/bookkeeper.ts';
import { newsOf, type CommitNews } from '../commit-news.ts';
import { decodeFact } from '../codec/fact.ts';
import {
  type CommitResult,
  type DecodeBody,
  type Ledger,
  StoreFailed,
  type Writes,
} from '../port.ts';
import type { JournalRow } from '../records.ts';
import { causeOf } from '../replicated/follow.ts';
import {
  ReplicaDiverged,
  RUN_OWNERS_VERSION,
  type Prepared,
  type Replica,
} from '../replicated/replica.ts';
import type { JournalHead, SealedCommit } from '../replicated/shared-journal.ts';
import { GENESIS_HASH, sealHash } from '../seal.ts';
import { BUSY_TIMEOUT_MS, SCHEMA_VERSION } from './file/database.ts';
import { fullText } from './file/free-bytes.ts';
import { isDamage } from './file/open-refusal.ts';
import { HashNumbers } from './keys/hash-numbers.ts';
import { KeyIndex } from './keys/key-index.ts';
import { SqliteRecords } from './writing/sqlite-records.ts';
import { SqliteWrites } from './writing/sqlite-writes.ts';
import { insertInto } from './table/statement.ts';

/** From this many pages in the log, the writer waits for readers, so that the log can restart. */
const LOG_PAGES_MAX = 32_000;
const RESTART_WAIT_MS = 250;

/**
 * SQLite result codes that say "not now" rather than "never": the sender must retry. A damaged file is
 * among them: it says nothing about the fact, and what is answered by it would be lost with it.
 */
const UNAVAILABLE =
  /^SQLITE_(FULL|IOERR|BUSY|LOCKED|NOMEM|READONLY|CANTOPEN|PROTOCOL|CORRUPT|NOTADB)/;

const MOVED =
  'the store is not where it was: its file was moved, replaced or removed under the daemon. Put it back, or restart the daemon with the store that you mean';

/** An error that says "not now" as the port's `StoreFailed`; any other error unchanged. */
function portError(error: unknown): unknown {
  if (!(error instanceof Database.SqliteError) || !UNAVAILABLE.test(error.code)) return error;
  return new StoreFailed(new Error(`${error.code}: ${error.message}`, { cause: error }));
}

type ComputedDay = SealedCommit['computedDays'][number];

/** Device and inode of the file at a path: they show that a file was moved or replaced. */
function fileAt(path: string): string | null {
  const at = statSync(path, { bigint: true, throwIfNoEntry: false });
  return at === undefined ? null : `${at.dev} ${at.ino}`;
}

export interface LedgerOptions {
  readonly decode: DecodeBody;
  /** How it reads what another receiver has journalled; like `decode` by default. */
  readonly decodeAgain?: DecodeBody;
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
 * order, sealed into the journal's hash chain, and fsynced once. As a receiver's replica it does the
 * same in two steps, or applies commits that another receiver has sealed.
 */
export class SqliteLedger implements Ledger, Replica {
  readonly #db: Database.Database;
  /** Which file it is; null in memory. */
  readonly #file: string | null;
  readonly #options: LedgerOptions;
  /** How many pages of the log were copied when `tidy` last looked. */
  #copiedPages = 0;
  readonly #records: SqliteRecords;
  readonly #writes: SqliteWrites;
  readonly #insertSeal;
  readonly #lastSeal;
  readonly #begin;
  readonly #end;
  #head: JournalHead;
  /** The head after the transaction under way. */
  #nextHead: JournalHead;
  #keeper: Bookkeeper | undefined;
  /** Whether `#keeper` takes facts that are in a journal already. */
  #keeperReplays = false;
  /** What the commit under way writes. */
  #written: Writes[] = [];

  constructor(db: Database.Database, options: LedgerOptions) {
    this.#db = db;
    this.#file = fileAt(db.name);
    if (options.checkpoints === 'elsewhere') db.pragma('wal_autocheckpoint = 0');
    this.#options = options;
    const keys = new KeyIndex(db, options.keysKeptMax);
    this.#insertSeal = insertInto(db, 'seals');
    this.#lastSeal = db.prepare<[], JournalHead>(
      `SELECT commit_number AS commitNumber, last_seq AS lastSeq, hash FROM seals
       ORDER BY commit_number DESC LIMIT 1`,
    );
    this.#head = this.#readHead();
    const hashes = new HashNumbers(keys);
    this.#records = new SqliteRecords(db, keys, hashes);
    this.#writes = new SqliteWrites(db, keys, hashes);
    this.#nextHead = this.#head;
    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#end = db.prepare('COMMIT');
  }

  async commit(facts: readonly Fact[]): Promise<CommitResult> {
    try {
      const { outcomes } = this.prepare(facts);
      return { kind: 'committed', outcomes, news: this.keep() };
    } catch (error) {
      if (!(error instanceof StoreFailed)) throw error;
      return { kind: 'unavailable', effect: 'none', cause: causeOf(error) };
    }
  }

  /**
   * Why the store cannot write now; null when it can. Writes a page and changes nothing. `last`: why
   * the last commit failed. A page says nothing about damage elsewhere in the file.
   */
  tryWrite(last: string): string | null {
    const [code = ''] = last.split(':', 1);
    if (isDamage(code)) return last;
    try {
      this.#transacted(() => {
        const full = this.#file === null ? null : fullText(this.#db.name);
        if (full !== null) throw new StoreFailed(new Error(full));
        this.#db.pragma(`user_version = ${SCHEMA_VERSION}`);
      });
      this.keep();
      return null;
    } catch (error) {
      if (!(error instanceof StoreFailed)) throw error;
      return causeOf(error);
    }
  }

  get head(): JournalHead {
    return this.#head;
  }

  prepare(facts: readonly Fact[]): Prepared {
    return this.#transacted(() => {
      const keeper = this.#keeperFor(this.#options.replays ?? false);
      const computedDays: ComputedDay[] = [];
      const outcomes = facts.map((fact) => {
        const outcome = keeper.take(fact);
        if (outcome.kind === 'taken') computedDays.push(...computedDayOf(fact, outcome.seq));
        return outcome;
      });
      const rows = this.#flushed(keeper);
      if (rows.length === 0) return { outcomes, commit: null };
      const sealed = this.#seal(rows, this.#options.now());
      return { outcomes, commit: { ...sealed, rows, computedDays } };
    });
  }

  keep(): CommitNews | undefined {
    try {
      this.#end.run();
      this.#head = this.#nextHead;
      this.#writes.committed();
      this.#checkFile();
      return newsOf(this.#written);
    } catch (error) {
      this.drop();
      throw portError(error);
    }
  }

  drop(): void {
    if (this.#db.inTransaction) this.#db.exec('ROLLBACK');
    this.#nextHead = this.#head;
    this.#keeper = undefined;
    this.#writes.forget();
    this.#records.forget();
  }

  follow(commits: readonly SealedCommit[]): void {
    this.#transacted(() => {
      const keeper = this.#keeperFor(true);
      for (const commit of commits) {
        for (const row of commit.rows) keeper.take(this.#factOf(row, commit));
      }
      let rows = this.#flushed(keeper);
      for (const commit of commits) {
        this.#sealAgain(commit, rows.slice(0, commit.rows.length));
        rows = rows.slice(commit.rows.length);
      }
      if (rows.length > 0) throw new Error(`journal position ${rows[0]?.seq} belongs to no commit`);
    });
    this.keep();
  }

  /** Seals a commit of the journal. `rows`: what this version journals for the commit's facts. */
  #sealAgain(commit: SealedCommit, rows: readonly JournalRow[]): void {
    const sealed = rows.length === 0 ? undefined : this.#seal(rows, commit.sealedAt);
    if (sealed !== undefined && Buffer.compare(sealed.hash, commit.hash) === 0) return;
    throw new ReplicaDiverged(
      `commit ${commit.commitNumber} of the journal has another effect in this version (journal position ${commit.rows[0]?.seq}): ${RUN_OWNERS_VERSION}`,
    );
  }

  /**
   * After another connection has copied the log: copies the little that was committed meanwhile, so
   * that the next commit finds the whole log copied and restarts it. Readers that follow one
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
      const { logPagesMax = LOG_PAGES_MAX } = this.#options;
      if (log > logPagesMax && !isHeld) this.#restartLog();
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

  #readHead(): JournalHead {
    return this.#lastSeal.get() ?? { commitNumber: 0, lastSeq: 0, hash: GENESIS_HASH };
  }

  /** Runs `work` in a transaction that stays open. A throw ends the transaction. */
  #transacted<Result>(work: () => Result): Result {
    try {
      this.#begin.run();
      this.#written = [];
      this.#checkFile();
      return work();
    } catch (error) {
      this.drop();
      throw portError(error);
    }
  }

  /** In a file that nobody will open again nothing is kept. */
  #checkFile(): void {
    if (fileAt(this.#db.name) !== this.#file) throw new StoreFailed(new Error(MOVED));
  }

  #keeperFor(replays: boolean): Bookkeeper {
    if (this.#keeperReplays !== replays) this.#keeper = undefined;
    this.#keeperReplays = replays;
    this.#keeper ??= this.#newKeeper(replays);
    this.#keeper.tidy();
    return this.#keeper;
  }

  #newKeeper(replays: boolean): Bookkeeper {
    const { decode, decodeAgain = decode, askedForMax } = this.#options;
    return new Bookkeeper({
      source: this.#records,
      journalHead: this.#head.lastSeq,
      write: (writes: Writes) => {
        this.#writes.write(writes);
        this.#written.push(writes);
      },
      decode: replays ? decodeAgain : decode,
      askedForMax,
      replays,
    });
  }

  /** Writes what is pending; the journal rows of the transaction. */
  #flushed(keeper: Bookkeeper): readonly JournalRow[] {
    keeper.flush();
    return this.#written.flatMap((writes) => writes.journal);
  }

  /** A journalled fact as the owner took it. */
  #factOf(row: JournalRow, { computedDays }: SealedCommit): Fact {
    const { decode, decodeAgain = decode } = this.#options;
    let fact: Fact;
    try {
      fact = decodeFact(row, decodeAgain);
    } catch (error) {
      throw new ReplicaDiverged(
        `journal position ${row.seq} cannot be read (${causeOf(error)}): ${RUN_OWNERS_VERSION}`,
      );
    }
    if (fact.kind !== 'custody-record') return fact;
    const computed = computedDays.find(({ seq }) => seq === row.seq)?.packed;
    return computed === undefined ? fact : { ...fact, computed };
  }

  #seal(
    rows: readonly JournalRow[],
    sealedAt: number,
  ): Omit<SealedCommit, 'rows' | 'computedDays'> {
    const [first, last] = [rows[0]?.seq ?? 0, rows.at(-1)?.seq ?? 0];
    const previousHash = this.#nextHead.hash;
    const hash = sealHash(previousHash, { sealedAt, rows });
    const commitNumber = this.#nextHead.commitNumber + 1;
    this.#insertSeal.run({
      commit_number: commitNumber,
      first_seq: first,
      last_seq: last,
      sealed_at: sealedAt,
      previous_hash: previousHash,
      hash,
    });
    this.#nextHead = { commitNumber, lastSeq: last, hash };
    return { commitNumber, sealedAt, previousHash, hash };
  }
}

/** The report that came with the fact of a close. */
function computedDayOf(fact: Fact, seq: number): ComputedDay[] {
  if (fact.kind !== 'custody-record' || fact.computed === undefined) return [];
  return [{ seq, packed: fact.computed }];
}
