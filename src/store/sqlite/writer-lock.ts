import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { folderRefusal, refusal } from './database.ts';
import { StoreRefused } from './refusal.ts';

/** Held by the one process that may write a store. */
export interface WriterLock {
  release(): void;
}

/**
 * Takes a store for this process alone, as its writer; readers are not kept out. The lock is that of
 * SQLite on a small file beside the store, so the operating system gives it back when the process
 * dies. Throws `StoreRefused` when another process has it, by whatever links it came to the store.
 */
export function takeWriterLock(path: string): WriterLock {
  if (!existsSync(dirname(path))) {
    throw new StoreRefused(`${path} cannot be opened: its folder does not exist, create it first`);
  }
  // Before the lock is made: it would stay beside the folder.
  const folder = folderRefusal(path);
  if (folder !== undefined) throw folder;
  const lockPath = `${realPath(path)}.lock`;
  const lock = openedLock(lockPath);
  try {
    lock.pragma('journal_mode = DELETE');
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    const busy = error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');
    if (!busy) throw refusal(lockPath, error);
    throw new StoreRefused(
      `${path} is in use by another process: stop that daemon first, or give this one a store of its own`,
    );
  }
  return {
    release: () => {
      lock.close();
    },
  };
}

/** Where a store really is: a name of its own for one store would be a lock of its own. */
export function realPath(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  return join(realpathSync(dirname(path)), basename(path));
}

function openedLock(path: string): Database.Database {
  try {
    return new Database(path, { timeout: 0 });
  } catch (error) {
    throw refusal(path, error);
  }
}
