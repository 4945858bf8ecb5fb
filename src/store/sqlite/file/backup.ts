import type { Database } from 'better-sqlite3';
import { existsSync, linkSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { historyAt } from '../../../domain/deposit/feed-cursor.ts';
import type { DecodeBody } from '../../port.ts';
import {
  checkpointUnlessDamaged,
  makeOneFile,
  makePrivate,
  openForReading,
  openForWriting,
  removeDatabase,
} from './database.ts';
import { freeName, makeNewStore, refuseExisting, unfinishedOf } from './new-file.ts';
import { explained, folderRefusal } from './open-refusal.ts';
import { StoreRefused } from '../../refusal.ts';
import { SqliteLedger } from '../sqlite-ledger.ts';
import { realPath, takeWriterLock } from './writer-lock.ts';
import type { Progress } from '../audit/verify.ts';

/** Pages that an online backup copies per step; the daemon commits between steps. */
const PAGES_PER_STEP = 2_000;

/**
 * Copies a store into one new file, in its state when the copy began. The daemon may go on writing.
 * Throws `StoreRefused` when the target exists, cannot be written, or its disk is full.
 */
export async function backup(from: string, to: string, progress: Progress): Promise<void> {
  refuseExisting(to, '--out');
  const refused = folderRefusal(to);
  if (refused !== undefined) throw refused;
  if (!existsSync(dirname(to))) {
    throw new StoreRefused(`${to} cannot be written: its folder does not exist, create it first`);
  }
  keepSource(from, unfinishedOf(to));
  try {
    await makeNewStore(to, '--out', (unfinished) => copyPages(from, unfinished, progress));
    progress.done();
  } catch (error) {
    throw explained(to, error);
  }
}

/**
 * Copies a store page by page, in its state when the copy began. With SQLite, not as a file, because
 * commits may still be in the source's WAL.
 */
async function copyPages(from: string, to: string, progress?: Progress): Promise<void> {
  const db = openForReading(from);
  let started = false;
  let done = 0;
  try {
    makePrivate(to);
    holdSnapshot(db);
    await db.backup(to, {
      progress: ({ totalPages, remainingPages }) => {
        if (!started) progress?.start('backup', totalPages);
        started = true;
        progress?.tick(totalPages - remainingPages - done);
        done = totalPages - remainingPages;
        return PAGES_PER_STEP;
      },
    });
  } finally {
    db.close();
  }
}

/** Refuses a source under the name of the unfinished file, which is removed before the copy. */
function keepSource(from: string, unfinished: string): void {
  if (!existsSync(from) || !existsSync(unfinished)) return;
  if (realPath(from) !== realPath(unfinished)) return;
  throw new StoreRefused(
    `${from} has the name of the file that this command writes first: rename it, then try again`,
  );
}

/**
 * Holds one snapshot of the store until the connection closes. Without it, each commit of the
 * daemon would restart the copy from its first page.
 */
function holdSnapshot(db: Database): void {
  db.exec('BEGIN');
  db.prepare('SELECT count(*) FROM sqlite_schema').get();
}

/** The result of a restore. `previous`: path of the store that it replaced; null without one. */
export interface Restored {
  readonly previous: string | null;
}

/**
 * Replaces a store by a backup and journals the restore. An existing store is kept beside it under
 * the returned name. Throws `StoreRefused` while another process writes the store.
 */
export async function restore(
  from: string,
  to: string,
  options: { readonly decode: DecodeBody; readonly now: () => number },
): Promise<Restored> {
  const fresh = `${to}.restore`;
  keepSource(from, fresh);
  const lock = takeWriterLock(to);
  try {
    const replaced = existsSync(to) ? lastHistory(to) : 0;
    if (existsSync(to)) checkpointUnlessDamaged(to);
    removeDatabase(fresh);
    await copyPages(from, fresh);
    await recordRestore(fresh, { ...options, replaced });
    // The record is still in the WAL when closing could not copy it, and the WAL is not renamed.
    makeOneFile(fresh);
    return replaceStore(fresh, to);
  } catch (error) {
    removeDatabase(fresh);
    throw explained(fresh, error);
  } finally {
    lock.release();
  }
}

/**
 * Number of the last history of a store's feed; 0 for a store that cannot be read, because damage is
 * why people restore.
 */
function lastHistory(path: string): number {
  try {
    const db = openForReading(path);
    try {
      return (
        db.prepare<[], number>('SELECT coalesce(max(history), 0) FROM restores').pluck().get() ?? 0
      );
    } finally {
      db.close();
    }
  } catch {
    return 0;
  }
}

/**
 * Journals the restore, because consumers may have read more of the feed than the backup holds.
 * `replaced`: number of the last history in the replaced store.
 */
async function recordRestore(
  path: string,
  options: { readonly decode: DecodeBody; readonly now: () => number; readonly replaced: number },
): Promise<void> {
  const ledger = new SqliteLedger(openForWriting(path), options);
  try {
    const at = options.now();
    const history = historyAt(at, options.replaced);
    const decision = { kind: 'restored', history, reason: 'put back from a backup' } as const;
    const fact = { kind: 'decision', at, actor: 'restore', decision } as const;
    const result = await ledger.commit([fact]);
    if (result.kind !== 'committed') throw new StoreRefused(`${path}: ${result.cause}`);
  } finally {
    ledger.close();
  }
}

function replaceStore(fresh: string, to: string): Restored {
  const previous = existsSync(to) ? freeName(`${to}.before-restore`) : null;
  if (previous !== null) {
    linkSync(to, previous);
    // A reader may keep these files. They are empty unless the store is damaged.
    for (const suffix of ['-wal', '-shm']) {
      if (existsSync(`${to}${suffix}`)) renameSync(`${to}${suffix}`, `${previous}${suffix}`);
    }
  }
  renameSync(fresh, to);
  return { previous };
}
