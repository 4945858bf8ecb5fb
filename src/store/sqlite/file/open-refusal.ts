import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { StoreRefused } from '../../refusal.ts';

/** The refusal of a path that names a folder, or a file below another file; undefined otherwise. */
export function folderRefusal(path: string): StoreRefused | undefined {
  const folder = dirname(path);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false) {
    return new StoreRefused(`${path} cannot be opened: ${folder} is a file, not a folder`);
  }
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return undefined;
  return new StoreRefused(`${path} is a folder: name the file in it`);
}

/** Whether a SQLite error code means that the file is damaged. */
export function isDamage(code: string): boolean {
  return code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT');
}

/**
 * Turns an error about a store's file into a refusal that says what to do. A `StoreRefused` is
 * returned unchanged.
 */
export function refusal(path: string, error: unknown): StoreRefused {
  if (error instanceof StoreRefused) return error;
  const folder = folderRefusal(path);
  if (folder !== undefined) return folder;
  const code = error instanceof Database.SqliteError ? error.code : '';
  const text = error instanceof Error ? error.message : String(error);
  if (code === 'SQLITE_FULL') {
    return new StoreRefused(
      `${path} cannot be written (${text}): make room on its disk and try again`,
    );
  }
  if (code.startsWith('SQLITE_READONLY')) {
    return new StoreRefused(
      `${path} cannot be opened (${text}): SQLite must create files beside it; run this as the user who owns the store, or on a copy made by \`counterfoil backup\``,
    );
  }
  if (isDamage(code)) {
    return new StoreRefused(
      `${path} is damaged or not a SQLite database (${text}): check that this file is the store; if it is, restore the latest backup, or run \`sqlite3 ${path} .recover\` into a new file`,
    );
  }
  const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
  if (code === 'SQLITE_CANTOPEN' || missing) {
    return new StoreRefused(
      `${path} cannot be opened (${text}): check that its folder exists, that you may read and write the file and the folder, and that the disk is not mounted read-only`,
    );
  }
  if (code.startsWith('SQLITE_BUSY')) {
    return new StoreRefused(
      `${path} is locked by another process: stop the other Counterfoil first`,
    );
  }
  if (code.startsWith('SQLITE_IOERR')) {
    return new StoreRefused(
      `${path} cannot be opened (${text}): check its disk, which may be full or failing`,
    );
  }
  return new StoreRefused(`${path} cannot be opened: ${text}`);
}

/** Turns the error of a full disk into a refusal; returns any other error unchanged. */
export function explained(path: string, error: unknown): unknown {
  const full = error instanceof Database.SqliteError && error.code === 'SQLITE_FULL';
  return full ? refusal(path, error) : error;
}
