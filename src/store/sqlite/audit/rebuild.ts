import { linkSync, renameSync, rmSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { isDeepStrictEqual } from 'node:util';
import { checkHashChain } from './audit.ts';
import { checkpointLog, openForRebuild, openForWriting, removeDatabase } from '../file/database.ts';
import { freeName } from '../file/new-file.ts';
import { explained } from '../file/open-refusal.ts';
import { StoreRefused } from '../../refusal.ts';
import { replay } from './replay.ts';
import { insertInto } from '../table/statement.ts';
import { takeWriterLock } from '../file/writer-lock.ts';
import type { Tables } from '../table/tables.ts';
import type { AuditOptions } from './verify.ts';

/** What a rebuild needs beside the store. */
export interface RebuildOptions extends AuditOptions {
  /** Whether the rebuilt credit feed may differ from the old one. */
  readonly acceptFeed: boolean;
}

/** The result of a rebuild. */
export interface RebuildReport {
  /** Number of replayed facts. */
  readonly facts: number;
  /** Path of the old store, which is kept. */
  readonly previous: string;
}

/**
 * Rebuilds every projection: replays the journal into a new file, which then replaces the old one.
 * The old file is kept beside it. Throws `StoreRefused` while another process uses the store, when
 * the journal is damaged (restore a backup then), or when the credit feed would change.
 */
export function rebuild(path: string, options: RebuildOptions): RebuildReport {
  const fresh = `${path}.rebuild`;
  // No other process may write during the replay: its facts would be lost with the old file.
  const lock = takeWriterLock(path);
  const { decode, progress } = options;
  let old: Database | undefined;
  try {
    removeDatabase(fresh);
    old = openForRebuild(path);
    // Before the long replay, because a reader of the store would make this fail afterwards too.
    checkpointLog(old, path);
    const facts = old.prepare<[], number>('SELECT count(*) FROM journal').pluck().get() ?? 0;
    progress.start('hash chain', facts);
    const chain = checkHashChain(old, (count) => progress.tick(count));
    if (chain.problemCount > 0) {
      throw new StoreRefused(
        `${path}: the journal is damaged (${chain.problems.join('; ')}): restore the latest backup`,
      );
    }
    const into = openForWriting(fresh);
    try {
      progress.start('replay', facts);
      replay(old, into, { decode, tick: (count) => progress.tick(count) });
      copyRows(old, into, 'seals');
      copyRows(old, into, 'intake_counts');
      if (!options.acceptFeed) assertFeedKept(old, into, path);
      into.pragma('wal_checkpoint(TRUNCATE)');
    } finally {
      into.close();
    }
    progress.done();
    old.close();
    return { facts, previous: replaceBy(fresh, path) };
  } catch (error) {
    old?.close();
    removeDatabase(fresh);
    throw explained(fresh, error);
  } finally {
    lock.release();
  }
}

/** Copies a table that a replay does not make. */
function copyRows(from: Database, into: Database, table: 'seals' | 'intake_counts'): void {
  const insert = insertInto(into, table);
  const rows = from.prepare<[], Tables[typeof table]>(`SELECT * FROM ${table}`).iterate();
  const copy = into.transaction(() => {
    for (const row of rows) insert.run(row);
  });
  copy.immediate();
}

const FEED = `SELECT feed_seq, credit_id, kind, deposit_id, amount, reverses
  FROM credits ORDER BY feed_seq`;

/** Number of the first item in which two credit feeds differ; null when they are equal. */
function firstDifference(old: Database, fresh: Database): number | null {
  const rebuilt = fresh.prepare(FEED).iterate();
  let item = 0;
  try {
    for (const row of old.prepare(FEED).iterate()) {
      item += 1;
      if (!isDeepStrictEqual(row, rebuilt.next().value)) return item;
    }
    return rebuilt.next().done === true ? null : item + 1;
  } finally {
    rebuilt.return?.();
  }
}

/**
 * Refuses a credit feed that differs from the old one, because consumers have acted on that. Either
 * the old table was damaged, or this version's rules read the journal otherwise: a person decides.
 */
function assertFeedKept(old: Database, fresh: Database, path: string): void {
  const item = firstDifference(old, fresh);
  if (item === null) return;
  throw new StoreRefused(
    `${path}: the rebuilt credit feed differs from the one that consumers have read, first at item ${item}. If the old feed's table was damaged, rebuild with --accept-feed; if not, run the version that wrote this store`,
  );
}

function replaceBy(fresh: string, path: string): string {
  const previous = freeName(`${path}.before-rebuild`);
  // The store's name always exists: a daemon that starts now must not create a new store.
  linkSync(path, previous);
  renameSync(fresh, path);
  for (const suffix of ['-wal', '-shm']) {
    rmSync(`${path}${suffix}`, { force: true });
    rmSync(`${fresh}${suffix}`, { force: true });
  }
  return previous;
}
