import Database from 'better-sqlite3';
import { closeSync, existsSync, openSync, readFileSync, rmSync } from 'node:fs';
import { checkNewestSeals } from '../journal/newest-seals.ts';
import { isDamage, refusal } from './open-refusal.ts';
import { StoreRefused } from '../../refusal.ts';

const SCHEMA_FILE = new URL('../../../../schema.sql', import.meta.url);

/** SQLite's `application_id`, "CFoi", which distinguishes our files from other databases. */
const APPLICATION_ID = 0x43466f69;

/** How long a statement waits for another process's lock before it fails. */
export const BUSY_TIMEOUT_MS = 5_000;

/**
 * A writer's page cache, as SQLite's negative KiB. It holds the hot index pages. A larger cache
 * costs time, because a commit that has split a page searches the whole cache: 32 MiB took a tenth
 * more CPU with few deliveries in a commit.
 */
const CACHE_KIB = -4_096;

/**
 * Page size of a new store. A commit changes a few rows in each of many pages, and writes every page
 * twice: into the log, and later into the file. SQLite's usual 4,096 bytes write a quarter more.
 */
const PAGE_BYTES = 2_048;

/** WAL pages before a commit starts a checkpoint, so that a hot page is copied once for many. */
const CHECKPOINT_PAGES = 32_000;

/** Largest store whose pages are all checked at opening, which takes about a second. */
const CHECKED_WHOLE_BYTES_MAX = 256 * 1024 * 1024;

/**
 * Counts the changes of schema.sql; each file holds its version as `user_version`. An older file is
 * not migrated: `counterfoil rebuild` replays its journal into new tables.
 */
export const SCHEMA_VERSION = 20;

function readPragma(db: Database.Database, name: string): number {
  return db.pragma(name, { simple: true }) as number;
}

function isEmpty(db: Database.Database): boolean {
  return db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() === 0;
}

/** Refuses a file of another program or of a newer version; changes nothing. */
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

/** Refuses a file of any other version than this one; changes nothing. */
function assertCurrent(db: Database.Database, path: string): void {
  assertOurs(db, path);
  const version = readPragma(db, 'user_version');
  if (version < SCHEMA_VERSION && !isEmpty(db)) {
    throw new StoreRefused(
      `${path} was written by an earlier Counterfoil (schema ${version}, this one needs ${SCHEMA_VERSION}): upgrade it with \`counterfoil rebuild --store ${path}\`, which keeps the old file beside the new one`,
    );
  }
}

/** Creates the tables of schema.sql in an empty file; leaves any other file unchanged. */
export function createTables(db: Database.Database): void {
  if (!isEmpty(db)) return;
  db.transaction(() => {
    db.exec(readFileSync(SCHEMA_FILE, 'utf8'));
    db.pragma(`application_id = ${APPLICATION_ID}`);
    db.pragma(`user_version = ${SCHEMA_VERSION}`);
  }).immediate();
}

/**
 * Adds indexes to a store that was created before schema.sql had them. They hold no data of their
 * own, so that the version stays.
 */
function addIndexes(db: Database.Database): void {
  const names = db
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'index'")
    .pluck();
  const known = new Set(names.all());
  const schema = readFileSync(SCHEMA_FILE, 'utf8');
  for (const [statement, name = ''] of schema.matchAll(/^CREATE INDEX (\w+)[^;]*;/gm)) {
    if (!known.has(name)) db.exec(statement);
  }
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

/** Tries a write, because SQLite reports a read-only file only then. */
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

/** Removes a database with its companion files. A copy that a full disk ended leaves `-journal`. */
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

/** A store holds customers' balances, so only its owner may read it. */
const OWNER_ONLY = 0o600;

/**
 * Creates an empty file that only its owner may read, before it holds anything. SQLite gives its
 * companion files the same mode. An existing file is left unchanged. Throws `StoreRefused`.
 */
export function makePrivate(path: string): void {
  guarded(path, () => {
    if (path !== ':memory:' && !existsSync(path)) closeSync(openSync(path, 'a', OWNER_ONLY));
  });
}

/**
 * Refuses a damaged file. It checks all pages of a small store, but only the newest seals of a
 * larger one, so that a start takes seconds at any size. `counterfoil verify` checks everything.
 */
function assertSound(db: Database.Database, path: string): void {
  const bytes = readPragma(db, 'page_count') * readPragma(db, 'page_size');
  const problem =
    bytes <= CHECKED_WHOLE_BYTES_MAX
      ? String(db.pragma('quick_check(1)', { simple: true }))
      : (checkNewestSeals(db) ?? 'ok');
  if (problem !== 'ok') {
    throw new StoreRefused(`${path} is damaged (${problem}): restore the latest backup`);
  }
}

/** Opens a file and prepares it; closes it again when the preparation throws. */
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

/** Opens a store for writing and creates the tables in a new file. Throws `StoreRefused`. */
export function openForWriting(path: string): Database.Database {
  makePrivate(path);
  return opened(path, {}, (db) => {
    // First, because switching the journal mode rewrites the file's header.
    assertCurrent(db, path);
    // Has no effect on a file that has tables.
    db.pragma(`page_size = ${PAGE_BYTES}`);
    assertDurable(db, path);
    assertSound(db, path);
    assertWritable(db, path);
    createTables(db);
    addIndexes(db);
  });
}

/**
 * Opens the replica of a shared journal as `openForWriting` does, but without an fsync in each
 * commit. A power failure can take the replica's last commits; the journal has them, and the replica
 * reads them again.
 */
export function openReplica(path: string): Database.Database {
  const db = openForWriting(path);
  db.pragma('synchronous = NORMAL');
  return db;
}

/**
 * Opens a store of this version or an earlier one to read its journal; the other tables may be
 * damaged. Throws `StoreRefused` when the file is missing, damaged or not a store.
 */
export function openForRebuild(path: string): Database.Database {
  return opened(path, { fileMustExist: true }, (db) => {
    assertOurs(db, path);
    if (isEmpty(db)) throw new StoreRefused(`${path} is empty: it is not a Counterfoil store yet`);
    assertDurable(db, path);
    assertSound(db, path);
  });
}

/** Opens a temporary store for a replay, without any durability. */
export function openScratch(path: string): Database.Database {
  const db = new Database(path);
  db.pragma('journal_mode = OFF');
  db.pragma('synchronous = OFF');
  db.pragma('foreign_keys = ON');
  createTables(db);
  return db;
}

/** Opens an existing store beside its writer to run checkpoints. Throws `StoreRefused`. */
export function openForCheckpoints(path: string): Database.Database {
  return opened(path, { fileMustExist: true }, (db) => {
    assertCurrent(db, path);
    assertDurable(db, path);
  });
}

/**
 * Switches a store that no other process has open from WAL mode to one file. A reader then leaves
 * no `-wal` and `-shm` beside it. Opening the store for writing restores WAL mode. Throws
 * `StoreRefused`.
 */
export function makeOneFile(path: string): void {
  opened(path, { fileMustExist: true }, (db) => {
    const mode = db.pragma('journal_mode = DELETE', { simple: true });
    if (mode !== 'delete') throw new StoreRefused(`${path} stays in ${String(mode)} mode`);
  }).close();
}

/**
 * Copies all commits from the WAL into the store's file, so that the file can be renamed. Otherwise
 * the renamed file would lack these commits, and a new file of that name would read a foreign WAL.
 * Throws `StoreRefused` while another process reads the store.
 */
export function checkpointLog(db: Database.Database, path: string): void {
  const [folded] = db.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
  if (folded?.busy === 0) return;
  throw new StoreRefused(
    `${path} is being read by another process: wait until that process ends and try again`,
  );
}

/** `checkpointLog` for a store that may be damaged. The WAL of a damaged store is useless and stays. */
export function checkpointUnlessDamaged(path: string): void {
  try {
    const db = new Database(path, { timeout: BUSY_TIMEOUT_MS, fileMustExist: true });
    try {
      checkpointLog(db, path);
    } finally {
      db.close();
    }
  } catch (error) {
    if (!(error instanceof Database.SqliteError) || !isDamage(error.code)) {
      throw refusal(path, error);
    }
  }
}

/** Opens an existing store for reading beside its writer. Throws `StoreRefused`. */
export function openForReading(path: string): Database.Database {
  return opened(path, { readonly: true, fileMustExist: true }, (db) => {
    db.pragma('query_only = ON');
    if (isEmpty(db)) throw new StoreRefused(`${path} is empty: it is not a Counterfoil store yet`);
    assertCurrent(db, path);
  });
}
