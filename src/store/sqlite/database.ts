import Database from 'better-sqlite3';
import { closeSync, existsSync, openSync, readFileSync, rmSync, statSync } from 'node:fs';
import { checkNewestSeals } from './newest-seals.ts';
import { StoreRefused } from './refusal.ts';

const SCHEMA_FILE = new URL('../../../schema.sql', import.meta.url);

/** SQLite's `application_id`: "CFoi". Tells our files from any other SQLite database. */
const APPLICATION_ID = 0x43466f69;

/** How long a statement waits for another process's lock before it fails. */
export const BUSY_TIMEOUT_MS = 5_000;

/**
 * Pages of 4 KiB kept in memory by a writer, as negative KiB: hot index pages stay at hand. Not more:
 * a commit that has split a page looks through all of them.
 */
const CACHE_KIB = -32_768;

/** WAL pages before a commit pays for a checkpoint: hot pages are then copied once, not each time. */
const CHECKPOINT_PAGES = 16_000;

/** A store of this size is looked at whole when it is opened; it takes about a second. */
const LOOKED_AT_WHOLE_BYTES_MAX = 256 * 1024 * 1024;

/**
 * Counts the changes of schema.sql; a file carries its own as `user_version`. An older file is not
 * migrated in place: its journal is replayed into new tables (`counterfoil rebuild`).
 */
export const SCHEMA_VERSION = 8;

function readPragma(db: Database.Database, name: string): number {
  return db.pragma(name, { simple: true }) as number;
}

function isEmpty(db: Database.Database): boolean {
  return db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() === 0;
}

/** Refuses a file of another program, or of a version newer than this one; changes nothing. */
function assertOurs(db: Database.Database, path: string): void {
  if (readPragma(db, 'application_id') !== APPLICATION_ID && !isEmpty(db)) {
    throw new StoreRefused(
      `${path} is a SQLite database of another program: give "store" a path of its own`,
    );
  }
  const version = readPragma(db, 'user_version');
  if (version > SCHEMA_VERSION) {
    throw new StoreRefused(
      `${path} was written by a newer Counterfoil (schema ${version}, this one knows ${SCHEMA_VERSION}): run that version, or restore a backup made before the upgrade`,
    );
  }
}

/** Refuses whatever is not of this very version; changes nothing. */
function assertCurrent(db: Database.Database, path: string): void {
  assertOurs(db, path);
  const version = readPragma(db, 'user_version');
  if (version < SCHEMA_VERSION && !isEmpty(db)) {
    throw new StoreRefused(
      `${path} was written by an earlier Counterfoil (schema ${version}, this one needs ${SCHEMA_VERSION}): make its tables anew with \`counterfoil rebuild --store ${path}\`; the old file is kept beside it`,
    );
  }
}

/** Makes the tables of schema.sql in an empty file; leaves any other as it is. */
export function createTables(db: Database.Database): void {
  if (!isEmpty(db)) return;
  db.transaction(() => {
    db.exec(readFileSync(SCHEMA_FILE, 'utf8'));
    db.pragma(`application_id = ${APPLICATION_ID}`);
    db.pragma(`user_version = ${SCHEMA_VERSION}`);
  }).immediate();
}

function assertDurable(db: Database.Database, path: string): void {
  const journalMode = db.pragma('journal_mode = WAL', { simple: true });
  // better-sqlite3 is built with synchronous=NORMAL for WAL, which loses commits on power failure.
  db.pragma('synchronous = FULL');
  db.pragma('foreign_keys = ON');
  db.pragma(`cache_size = ${CACHE_KIB}`);
  db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  const full = readPragma(db, 'synchronous') === 2;
  if ((journalMode !== 'wal' && path !== ':memory:') || !full) {
    throw new StoreRefused(
      `${path}: cannot be opened durably (journal_mode ${String(journalMode)}, synchronous ${full ? 'FULL' : 'not FULL'}): put it on a local file system`,
    );
  }
}

/** SQLite opens a file that it may only read as if it might write it, until the first write. */
function assertWritable(db: Database.Database, path: string): void {
  try {
    db.exec(`BEGIN; PRAGMA user_version = ${readPragma(db, 'user_version')}; ROLLBACK`);
  } catch (error) {
    if (!(error instanceof Database.SqliteError) || !error.code.startsWith('SQLITE_READONLY')) {
      throw error;
    }
    throw new StoreRefused(
      `${path} cannot be written (${error.message}): let the user who runs this own the file and its folder, and be able to write both`,
    );
  }
}

/** Why a folder in the place of a store is refused; undefined for whatever else is there. */
export function folderRefusal(path: string): StoreRefused | undefined {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return undefined;
  return new StoreRefused(`${path} is a folder: name the file in it`);
}

export function isDamage(code: string): boolean {
  return code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT');
}

/** What went wrong with a file, in words that say what to do; a refusal stays as it is. */
export function refusal(path: string, error: unknown): StoreRefused {
  if (error instanceof StoreRefused) return error;
  const folder = folderRefusal(path);
  if (folder !== undefined) return folder;
  const code = error instanceof Database.SqliteError ? error.code : '';
  const text = error instanceof Error ? error.message : String(error);
  if (code === 'SQLITE_FULL') {
    return new StoreRefused(`${path} cannot be written (${text}): make room there and try again`);
  }
  if (code.startsWith('SQLITE_READONLY')) {
    return new StoreRefused(
      `${path} cannot be opened (${text}): SQLite writes beside a store that a daemon has used; run this as the user who owns it, or on a copy made by \`counterfoil backup\``,
    );
  }
  if (isDamage(code)) {
    return new StoreRefused(
      `${path} is damaged or not a SQLite database (${text}): restore the latest backup, or run \`sqlite3 ${path} .recover\` into a new file`,
    );
  }
  const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
  if (code === 'SQLITE_CANTOPEN' || missing) {
    return new StoreRefused(
      `${path} cannot be opened (${text}): check that its folder exists, and that both can be read and written`,
    );
  }
  if (code.startsWith('SQLITE_BUSY')) {
    return new StoreRefused(
      `${path} is locked by another process: stop the other Counterfoil first`,
    );
  }
  if (code.startsWith('SQLITE_IOERR')) {
    return new StoreRefused(
      `${path} cannot be opened (${text}): look at its disk, which may be full or failing`,
    );
  }
  return new StoreRefused(`${path} cannot be opened: ${text}`);
}

/** A full disk in words; whatever else went wrong as it is. */
export function explained(path: string, error: unknown): unknown {
  const full = error instanceof Database.SqliteError && error.code === 'SQLITE_FULL';
  return full ? refusal(path, error) : error;
}

/** Removes a file and what stands beside it: a copy that a full disk cut off leaves its rollback journal. */
export function removeDatabase(path: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal'])
    rmSync(`${path}${suffix}`, { force: true });
}

function guarded<Result>(path: string, open: () => Result): Result {
  try {
    return open();
  } catch (error) {
    throw refusal(path, error);
  }
}

/** A store holds what customers own: nobody but its owner reads it. */
const OWNER_ONLY = 0o600;

/**
 * Makes an empty file that its owner alone may read, before anything is in it; SQLite gives its
 * companion files the same mode. One that is there stays as it is.
 */
export function makePrivate(path: string): void {
  guarded(path, () => {
    if (path !== ':memory:' && !existsSync(path)) closeSync(openSync(path, 'a', OWNER_ONLY));
  });
}

/**
 * Refuses a file whose pages or indexes contradict each other, or whose newest facts are not what was
 * sealed. All pages of a small store are looked at; of a larger one the newest facts alone, so that
 * a start takes seconds however large it is: `counterfoil verify` looks at everything.
 */
function assertSound(db: Database.Database, path: string): void {
  const bytes = readPragma(db, 'page_count') * readPragma(db, 'page_size');
  const problem =
    bytes <= LOOKED_AT_WHOLE_BYTES_MAX
      ? String(db.pragma('quick_check(1)', { simple: true }))
      : (checkNewestSeals(db) ?? 'ok');
  if (problem !== 'ok') {
    throw new StoreRefused(`${path} is damaged (${problem}): restore the latest backup`);
  }
}

/** Opens a file and prepares it; closes it again when something about it is refused. */
function opened(
  path: string,
  options: Database.Options,
  prepare: (db: Database.Database) => void,
): Database.Database {
  return guarded(path, () => {
    const db = new Database(path, { timeout: BUSY_TIMEOUT_MS, ...options });
    try {
      prepare(db);
      return db;
    } catch (error) {
      db.close();
      throw error;
    }
  });
}

/** Opens a store for writing, making its tables in a new file. Throws `StoreRefused` with what to do. */
export function openForWriting(path: string): Database.Database {
  makePrivate(path);
  return opened(path, {}, (db) => {
    // Before anything is written: switching the journal mode rewrites the file's header.
    assertCurrent(db, path);
    assertDurable(db, path);
    assertSound(db, path);
    assertWritable(db, path);
    createTables(db);
  });
}

/**
 * Opens a store of this version or an earlier one, to take its journal out: whatever its other
 * tables are. Throws `StoreRefused` when it is not there, or not a store.
 */
export function openForRebuild(path: string): Database.Database {
  return opened(path, { fileMustExist: true }, (db) => {
    assertOurs(db, path);
    if (isEmpty(db)) throw new StoreRefused(`${path} is empty: it is not a Counterfoil store yet`);
    assertDurable(db, path);
    assertSound(db, path);
  });
}

/** Opens a throw-away store for a replay: it need not survive a crash. */
export function openScratch(path: string): Database.Database {
  const db = new Database(path);
  db.pragma('journal_mode = OFF');
  db.pragma('synchronous = OFF');
  db.pragma('foreign_keys = ON');
  createTables(db);
  return db;
}

/** Opens an existing store only to copy its log into its file, beside the writer. */
export function openForCheckpoints(path: string): Database.Database {
  return opened(path, { fileMustExist: true }, (db) => {
    assertCurrent(db, path);
    assertDurable(db, path);
  });
}

/**
 * Takes a copy that nobody else has open out of WAL mode: it is one file then, and who only reads it
 * leaves no `-wal` and `-shm` beside it. Whoever opens it for writing puts it back.
 */
export function makeOneFile(path: string): void {
  opened(path, { fileMustExist: true }, (db) => {
    const mode = db.pragma('journal_mode = DELETE', { simple: true });
    if (mode !== 'delete') throw new StoreRefused(`${path} stays in ${String(mode)} mode`);
  }).close();
}

/**
 * Brings all that is committed into the store's file, so that it can be given another name: under that
 * one nobody would find what stands in the log beside it, and another file in its place would take
 * the log for its own.
 */
export function foldLog(db: Database.Database, path: string): void {
  const [folded] = db.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
  if (folded?.busy === 0) return;
  throw new StoreRefused(
    `${path} is being read by another process: wait for its end and try again`,
  );
}

/** The same for a store that somebody else may have damaged: then nobody can go on with its log either. */
export function foldLogUnlessDamaged(path: string): void {
  try {
    const db = new Database(path, { timeout: BUSY_TIMEOUT_MS, fileMustExist: true });
    try {
      foldLog(db, path);
    } finally {
      db.close();
    }
  } catch (error) {
    if (!(error instanceof Database.SqliteError) || !isDamage(error.code)) {
      throw refusal(path, error);
    }
  }
}

/** Opens an existing store for reading beside the writer. */
export function openForReading(path: string): Database.Database {
  return opened(path, { readonly: true, fileMustExist: true }, (db) => {
    db.pragma('query_only = ON');
    if (isEmpty(db)) throw new StoreRefused(`${path} is empty: it is not a Counterfoil store yet`);
    assertCurrent(db, path);
  });
}
