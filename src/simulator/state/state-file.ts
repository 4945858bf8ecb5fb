import Database from 'better-sqlite3';
import { closeSync, openSync } from 'node:fs';
import { decodeRecord, encodeRecord } from './codec.ts';
import { damaged, refusal, StateFileRefused } from './refusal.ts';
import type { State } from './state.ts';
import type { TableChange } from './table.ts';

/** SQLite's `application_id`: "CFco". Tells our files from any other SQLite database. */
const APPLICATION_ID = 0x4346636f;
/** SQLite's `user_version`: the form of the file. */
const FORMAT = 1;

/**
 * `position` orders the rows as they were inserted; a row that is deleted and put again gets a new
 * one. Keys are JSON strings, for SQLite's UTF-8 cannot hold a lone surrogate that a client sent.
 */
const SCHEMA = `
  CREATE TABLE core (
    seed TEXT NOT NULL,
    clock TEXT NOT NULL CHECK (clock IN ('real', 'virtual')),
    now_ms INTEGER
  ) STRICT;
  CREATE TABLE records (
    position INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    key TEXT NOT NULL,
    record TEXT NOT NULL
  ) STRICT;
`;

/** What a file was made with and cannot change any more: every id in it follows from the seed. */
export interface Origin {
  readonly seed: string;
  readonly clock: 'real' | 'virtual';
}

interface CoreRow extends Origin {
  /** Virtual time when the file was last written; null on the real clock and before. */
  readonly now_ms: number | null;
}

interface RecordRow {
  readonly position: number;
  readonly name: string;
  readonly key: string;
  readonly record: string;
}

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

const NO_WAIT = Promise.resolve();

/**
 * The state of a core in a SQLite file. Every change of a table is written by the end of the turn of
 * the event loop in which it happened: world calls are synchronous, so no transaction ever holds
 * half of one, and calls and scheduled work of the same turn share one fsync.
 *
 * `committed` is the promise to the outside: whoever tells anyone of a change (an answer, a webhook)
 * awaits it first.
 */
export class StateFile {
  readonly origin: Origin;
  /** Virtual time to go on from; undefined on the real clock and in a new file. */
  readonly nowMs: number | undefined;
  readonly #db: Database.Database;
  readonly #path: string;
  readonly #onFailure: (error: unknown) => void;
  readonly #put: Database.Statement<[number, string, string, string]>;
  readonly #remove: Database.Statement<[number]>;
  readonly #setTime: Database.Statement<[number]>;
  readonly #positions = new Map<string, Map<string, number>>();
  #lastPosition = 0;
  /** By position; undefined: deleted. Records are immutable, so the newest stands for all. */
  #unwritten = new Map<number, TableChange | undefined>();
  #virtualNowMs: (() => number) | undefined;
  #writtenNowMs: number | undefined;
  #waiting: Waiter[] = [];
  #turn: NodeJS.Immediate | undefined;
  #closed = false;

  private constructor(options: {
    db: Database.Database;
    path: string;
    row: CoreRow;
    onFailure: (error: unknown) => void;
  }) {
    this.#db = options.db;
    this.#path = options.path;
    this.#onFailure = options.onFailure;
    this.#put = this.#db.prepare('INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?)');
    this.#remove = this.#db.prepare('DELETE FROM records WHERE position = ?');
    this.#setTime = this.#db.prepare('UPDATE core SET now_ms = ?');
    const { seed, clock, now_ms: nowMs } = options.row;
    this.origin = { seed, clock };
    this.nowMs = nowMs ?? undefined;
  }

  /**
   * Opens `path`, or makes it with this origin. Throws `StateFileRefused` for a file of another
   * program, a newer version or another running core, and for a damaged one. `onFailure` hears of
   * every commit that did not succeed; what it held is kept and tried again with the next one.
   */
  static open(
    path: string,
    options: { origin: Origin; onFailure: (error: unknown) => void },
  ): StateFile {
    let db: Database.Database | undefined;
    try {
      // It holds the keys of vaults: SQLite gives its side files the same mode.
      closeSync(openSync(path, 'a', 0o600));
      db = new Database(path, { timeout: 0 });
      const row = prepared(db, path, options.origin);
      return new StateFile({ db, path, row, onFailure: options.onFailure });
    } catch (error) {
      db?.close();
      throw error instanceof StateFileRefused ? error : refusal(path, error);
    }
  }

  /**
   * Fills the state with the file's records and writes every later change of it through. To be called
   * once, before anything else uses the state. Throws `StateFileRefused`, with the file closed, when a
   * record cannot be read.
   */
  load(state: State): void {
    const tables = new Map<string, Map<string, object>>();
    try {
      const rows = this.#db.prepare<[], RecordRow>('SELECT * FROM records ORDER BY position');
      for (const row of rows.iterate()) {
        const key = JSON.parse(row.key) as string;
        const positions = this.#positionsOf(row.name);
        if (positions.has(key)) throw new Error(`two records ${row.name} ${row.key}`);
        positions.set(key, row.position);
        this.#lastPosition = row.position;
        const table = tables.get(row.name) ?? new Map<string, object>();
        tables.set(row.name, table.set(key, decodeRecord(row.record) as object));
      }
    } catch (error) {
      this.close();
      throw refusal(this.#path, error);
    }
    state.restore({ tables });
    state.onChange((change) => this.#take(change));
  }

  /** Whether no record has ever been written, in this run or before. */
  get isFresh(): boolean {
    return this.#lastPosition === 0;
  }

  /** Has the virtual time written beside the records. */
  followTime(nowMs: () => number): void {
    this.#virtualNowMs = nowMs;
    this.#writtenNowMs = this.nowMs;
  }

  /** Resolves when every change so far is on disk; rejects when it could not be written. */
  committed(): Promise<void> {
    if (this.#unwritten.size === 0 && !this.#timeHasMoved()) return NO_WAIT;
    if (this.#closed) return Promise.reject(new Error(`${this.#path} is closed`));
    this.#schedule();
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  /** Writes what is left and lets the file go. */
  close(): void {
    if (this.#closed) return;
    clearImmediate(this.#turn);
    this.#commit();
    this.#closed = true;
    this.#db.close();
  }

  #positionsOf(name: string): Map<string, number> {
    let positions = this.#positions.get(name);
    if (positions === undefined) {
      positions = new Map();
      this.#positions.set(name, positions);
    }
    return positions;
  }

  #take(change: TableChange): void {
    const positions = this.#positionsOf(change.table);
    let position = positions.get(change.key);
    if (change.record === undefined) {
      if (position === undefined) return;
      positions.delete(change.key);
      this.#unwritten.set(position, undefined);
    } else {
      position ??= this.#lastPosition += 1;
      positions.set(change.key, position);
      this.#unwritten.set(position, change);
    }
    this.#schedule();
  }

  #timeHasMoved(): boolean {
    return this.#virtualNowMs !== undefined && this.#virtualNowMs() !== this.#writtenNowMs;
  }

  #schedule(): void {
    if (this.#closed) return;
    this.#turn ??= setImmediate(() => this.#commit());
  }

  #commit(): void {
    this.#turn = undefined;
    const waiting = this.#waiting;
    this.#waiting = [];
    try {
      this.#write();
    } catch (error) {
      this.#onFailure(error);
      for (const { reject } of waiting) reject(error);
      return;
    }
    for (const { resolve } of waiting) resolve();
  }

  #write(): void {
    if (this.#unwritten.size === 0 && !this.#timeHasMoved()) return;
    const nowMs = this.#virtualNowMs?.();
    this.#db
      .transaction(() => {
        for (const [position, change] of this.#unwritten) {
          if (change === undefined) this.#remove.run(position);
          else {
            const { table, key, record } = change;
            this.#put.run(position, table, JSON.stringify(key), encodeRecord(record));
          }
        }
        if (nowMs !== undefined) this.#setTime.run(nowMs);
      })
      .immediate();
    this.#unwritten = new Map();
    this.#writtenNowMs = nowMs;
  }
}

/** A file that is ours, of this format, whole and locked; made so when it was empty. */
function prepared(db: Database.Database, path: string, origin: Origin): CoreRow {
  // One core per file: two would each write their own idea of it. Held until close, or death.
  db.pragma('locking_mode = EXCLUSIVE');
  const isEmpty = db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() === 0;
  if (!isEmpty && db.pragma('application_id', { simple: true }) !== APPLICATION_ID) {
    throw new StateFileRefused(
      `${path} is a SQLite database of another program: give --db a path of its own`,
    );
  }
  const format = isEmpty ? FORMAT : (db.pragma('user_version', { simple: true }) as number);
  if (format > FORMAT) {
    throw new StateFileRefused(
      `${path} was written by a newer custody core (format ${format}, this one knows ${FORMAT}): run that version, or start with another file`,
    );
  }
  const problem = db.pragma('quick_check(1)', { simple: true });
  if (problem !== 'ok') throw damaged(path, String(problem));
  const journalMode = db.pragma('journal_mode = WAL', { simple: true });
  // better-sqlite3 is built with synchronous=NORMAL for WAL, which loses commits on power failure.
  db.pragma('synchronous = FULL');
  if (journalMode !== 'wal') {
    throw new StateFileRefused(
      `${path} cannot be opened durably (journal_mode ${String(journalMode)}): put it on a local file system`,
    );
  }
  if (isEmpty) {
    db.transaction(() => {
      db.exec(SCHEMA);
      db.prepare('INSERT INTO core VALUES (?, ?, NULL)').run(origin.seed, origin.clock);
      db.pragma(`application_id = ${APPLICATION_ID}`);
      db.pragma(`user_version = ${FORMAT}`);
    }).immediate();
  }
  const row = db.prepare<[], CoreRow>('SELECT seed, clock, now_ms FROM core').get();
  if (row === undefined) throw damaged(path, 'it does not say what it was made with');
  return row;
}
