import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { StoreRefused } from '../../refusal.ts';
import { makeOneFile, removeDatabase } from './database.ts';
import { lockFile } from './writer-lock.ts';

/** The name of a new store until it is complete. A killed command leaves it, and its lock. */
export function unfinishedOf(path: string): string {
  return `${path}.partial`;
}

/** The first of `path-1`, `path-2` and so on where nothing exists: a replaced store is kept there. */
export function freeName(path: string): string {
  let number = 1;
  while (existsSync(`${path}-${number}`)) number += 1;
  return `${path}-${number}`;
}

/**
 * Refuses the path of a new store where something exists already; `option` names the flag that gives
 * the path. Throws `StoreRefused`.
 */
export function refuseExisting(path: string, option: string): void {
  if (!existsSync(path)) return;
  if (statSync(path).isDirectory()) {
    const example = join(path, 'store.db');
    throw new StoreRefused(`${path} is a folder: name the new file in it, for example ${example}`);
  }
  throw new StoreRefused(`${path} exists already and is not overwritten: choose another ${option}`);
}

/**
 * Makes a new store, which gets its name only when it is complete. `write` fills a file that does
 * not exist yet. Another process that makes the same store has the same unfinished file, so only one
 * of them may go on: a lock beside that file says which. Throws `StoreRefused` when the other is at
 * work, or has made the store; `option` names the flag that gives the path.
 */
export async function makeNewStore<Result>(
  path: string,
  option: string,
  write: (unfinished: string) => Promise<Result>,
): Promise<Result> {
  const unfinished = unfinishedOf(path);
  const lockPath = `${unfinished}.lock`;
  const lock = lockFile(
    lockPath,
    `${path} is being written by another process: wait until that process ends, or choose another ${option}`,
  );
  try {
    // The other process may have ended after the caller looked.
    refuseExisting(path, option);
    removeDatabase(unfinished);
    const result = await write(unfinished);
    makeOneFile(unfinished);
    renameSync(unfinished, path);
    return result;
  } catch (error) {
    removeDatabase(unfinished);
    throw error;
  } finally {
    // Before the release, so that nobody else's lock is removed.
    rmSync(lockPath, { force: true });
    lock.release();
  }
}
