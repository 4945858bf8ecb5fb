import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { folderRefusal, refusal } from './open-refusal.ts';
import { StoreRefused } from '../../refusal.ts';

/** The lock of the one process that may write a store. */
export interface WriterLock {
  release(): void;
}

/**
 * Makes this process the store's only writer; readers need no lock. The lock is SQLite's, on a
 * small file beside the store, so the operating system frees it when the process dies. Throws
 * `StoreRefused` while another process holds it, also through another link to the same store.
 */
export function takeWriterLock(path: string): WriterLock {
  if (!existsSync(dirname(path))) {
    throw new StoreRefused(`${path} cannot be opened: its folder does not exist, create it first`);
  }
  // Checked first, so that no lock file is left beside the folder.
  const folder = folderRefusal(path);
  if (folder !== undefined) throw folder;
  return lockFile(
    `${realPath(path)}.lock`,
    `${path} is in use by another process: stop that process first, or name another store`,
  );
}

/**
 * Locks this file, which is made when it does not exist. Throws `StoreRefused` with `busyText` while
 * another process holds the lock.
 */
export function lockFile(lockPath: string, busyText: string): WriterLock {
  const lock = openedLock(lockPath);
  try {
    lock.pragma('journal_mode = DELETE');
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    const busy = error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');
    if (!busy) throw refusal(lockPath, error);
    throw new StoreRefused(busyText);
  }
  return {
    release: () => {
      lock.close();
    },
  };
}

/** A store's path with all links resolved, so that every path to one store has the same lock. */
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
