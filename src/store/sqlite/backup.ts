import type { Database } from 'better-sqlite3';
import { existsSync, linkSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DecodeBody } from '../port.ts';
import {
  explained,
  foldLogUnlessDamaged,
  makeOneFile,
  makePrivate,
  openForReading,
  openForWriting,
  removeDatabase,
} from './database.ts';
import { StoreRefused } from './refusal.ts';
import { SqliteLedger } from './sqlite-ledger.ts';
import { takeWriterLock } from './writer-lock.ts';
import type { Progress } from './verify.ts';

/** Pages copied per step of an online backup; the daemon commits in between. */
const PAGES_PER_STEP = 2_000;

/**
 * Copies a store into one new file while the daemon goes on: its state at the moment at which the copy
 * began. Throws `StoreRefused` when the target exists.
 */
export async function backup(from: string, to: string, progress: Progress): Promise<void> {
  if (existsSync(to)) {
    throw new StoreRefused(`${to} exists already and is not overwritten: choose another --out`);
  }
  if (!existsSync(dirname(to))) {
    throw new StoreRefused(`${to} cannot be written: its folder does not exist, create it first`);
  }
  // Whoever is interrupted leaves no file that has the name of a backup and is half of one.
  const partial = `${to}.partial`;
  removeDatabase(partial);
  const db = openForReading(from);
  let started = false;
  let done = 0;
  try {
    makePrivate(partial);
    holdSnapshot(db);
    await db.backup(partial, {
      progress: ({ totalPages, remainingPages }) => {
        if (!started) progress.start('backup', totalPages);
        started = true;
        progress.tick(totalPages - remainingPages - done);
        done = totalPages - remainingPages;
        return PAGES_PER_STEP;
      },
    });
    makeOneFile(partial);
    renameSync(partial, to);
    progress.done();
  } catch (error) {
    removeDatabase(partial);
    throw explained(to, error);
  } finally {
    db.close();
  }
}

/**
 * Keeps one state of the store for this connection until it is closed. Without it each step of a
 * backup that finds a commit of the daemon begins the copy again.
 */
function holdSnapshot(db: Database): void {
  db.exec('BEGIN');
  db.prepare('SELECT count(*) FROM sqlite_schema').get();
}

/** Where the store as it was before is kept, if there was one. */
export interface Restored {
  readonly previous: string | null;
}

/**
 * Puts a backup in a store's place. A store that is there already is kept beside it under the name
 * that is returned. Throws `StoreRefused` while a daemon has it.
 */
export async function restore(
  from: string,
  to: string,
  options: { readonly decode: DecodeBody; readonly now: () => number },
): Promise<Restored> {
  const lock = takeWriterLock(to);
  const fresh = `${to}.restore`;
  try {
    if (existsSync(to)) foldLogUnlessDamaged(to);
    removeDatabase(fresh);
    await copy(from, fresh);
    await recordRestore(fresh, options);
    return putInPlace(fresh, to);
  } catch (error) {
    removeDatabase(fresh);
    throw error;
  } finally {
    lock.release();
  }
}

/** By SQLite and not by file: what is committed may still stand in the backup's WAL. */
async function copy(from: string, to: string): Promise<void> {
  const db = openForReading(from);
  try {
    makePrivate(to);
    await db.backup(to);
  } catch (error) {
    throw explained(to, error);
  } finally {
    db.close();
  }
}

/** Journals the restore: consumers may have read more of the feed than the backup holds. */
async function recordRestore(
  path: string,
  options: { readonly decode: DecodeBody; readonly now: () => number },
): Promise<void> {
  const ledger = new SqliteLedger(openForWriting(path), options);
  try {
    const decision = { kind: 'restored', reason: 'put back from a backup' } as const;
    const fact = { kind: 'decision', at: options.now(), actor: 'restore', decision } as const;
    const result = await ledger.commit([fact]);
    if (result.kind !== 'committed') throw new StoreRefused(`${path}: ${result.cause}`);
  } finally {
    ledger.close();
  }
}

function putInPlace(fresh: string, to: string): Restored {
  const previous = existsSync(to) ? freeName(to) : null;
  if (previous !== null) {
    linkSync(to, previous);
    // Of a store that could be opened they are empty: a reader keeps them.
    for (const suffix of ['-wal', '-shm']) {
      if (existsSync(`${to}${suffix}`)) renameSync(`${to}${suffix}`, `${previous}${suffix}`);
    }
  }
  renameSync(fresh, to);
  return { previous };
}

function freeName(path: string): string {
  let number = 1;
  while (existsSync(`${path}.before-restore-${number}`)) number += 1;
  return `${path}.before-restore-${number}`;
}
