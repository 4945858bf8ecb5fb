import Database from 'better-sqlite3';
import { closeSync, openSync } from 'node:fs';
import { decodeRecord, encodeRecord } from './codec.ts';
import { damaged, refusal, StateFileRefused } from './refusal.ts';
import type { State } from './state.ts';
import type { TableChange } from './table.ts';

/** SQLite's `application_id`: "CFco". It distinguishes state files from other SQLite databases. */
const APPLICATION_ID = 0x4346636f;
/** SQLite's `user_version`: the format of the file. */
const FORMAT = 1;

/**
 * `position` orders the rows by insertion; a row that is deleted and inserted again gets a new one.
 * Keys are JSON strings, because SQLite's UTF-8 cannot hold a lone surrogate that a client sent.
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

/**
 * The seed and clock that the file was made with. They never change, because every id in the file
 * follows from the seed.
 */
export interface Origin {
  readonly seed: string;
  readonly clock: 'real' | 'virtual';
}

interface CoreRow extends Origin {
  /**
   * Virtual time of the last write, Unix epoch milliseconds; null on the real clock and before the
   * first write.
   */
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
 * Keeps the state of a core in a SQLite file. Every change is written by the end of the event loop
 * turn in which it happened. World calls are synchronous, so a transaction never holds half of one.
 * All changes of a turn share one fsync.
 *
 * Await `committed` before you report a change to anyone outside, by an answer or a webhook.
 */
export class StateFile {
  readonly origin: Origin;
  /** Virtual time at which the core continues; undefined on the real clock and in a new file. */
  readonly nowMs: number | undefined;
  readonly #db: Database.Database;
  readonly #path: string;
  readonly #onFailure: (error: unknown) => void;
  readonly #put: Database.Statement<[number, string, string, string]>;
  readonly #remove: Database.Statement<[number]>;
  readonly #setTime: Database.Statement<[number]>;
  readonly #positions = new Map<string, Map<string, number>>();
  #lastPosition = 0;
  /**
   * Unwritten changes by position; undefined: a deletion. Records are immutable, so only the newest
   * is written.
   */
  #unwritten = new Map<number, TableChange | undefined>();
  #virtualNowMs: (() => number) | undefined;
  #writtenNowMs: number | undefined;
  #waiters: Waiter[] = [];
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
   * Opens the file at `path`, or creates it with this origin. Throws `StateFileRefused` for a
   * damaged file and for a file of another program, a newer version or another running core.
   * `onFailure` is called for every failed commit; its changes are tried again with the next one.
   */
  static open(
    path: string,
    options: { origin: Origin; onFailure: (error: unknown) => void },
  ): StateFile {
    let db: Database.Database | undefined;
    try {
      // The file holds the keys of vaults. SQLite gives its side files the same mode.
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
   * Loads the file's records into the state and writes every later change to the file. Call it
   * once, before anything else uses the state. Closes the file and throws `StateFileRefused` when a
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

  /** Whether the file has never held a record. */
  get isFresh(): boolean {
    return this.#lastPosition === 0;
  }

  /** Writes the virtual time with the records from now on. */
  followTime(nowMs: () => number): void {
    this.#virtualNowMs = nowMs;
    this.#writtenNowMs = this.nowMs;
  }

  /** Resolves when every change so far is on disk; rejects when it could not be written. */
  committed(): Promise<void> {
    if (this.#unwritten.size === 0 && !this.#timeHasMoved()) return NO_WAIT;
    if (this.#closed) return Promise.reject(new Error(`${this.#path} is closed`));
    this.#schedule();
    return new Promise((resolve, reject) => this.#waiters.push({ resolve, reject }));
  }

  /** Writes the remaining changes and closes the file. */
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
    const waiters = this.#waiters;
    this.#waiters = [];
    try {
      this.#write();
    } catch (error) {
      this.#onFailure(error);
      for (const { reject } of waiters) reject(error);
      return;
    }
    for (const { resolve } of waiters) resolve();
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

/**
 * Checks that the file is a state file of this format, undamaged and not in use, and locks it. An
 * empty file is set up.
 */
function prepared(db: Database.Database, path: string, origin: Origin): CoreRow {
  // Only one core may use a file: two would overwrite each other's state. SQLite holds the lock
  // until the file is closed or the process ends.
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
  // better-sqlite3 defaults to synchronous=NORMAL in WAL mode, which loses commits at a power
  // failure.
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
  if (row === undefined) throw damaged(path, 'its seed and clock are missing');
  return row;
}
