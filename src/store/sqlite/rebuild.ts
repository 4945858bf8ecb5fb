import { existsSync, linkSync, renameSync, rmSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { isDeepStrictEqual } from 'node:util';
import { checkHashChain } from './audit.ts';
import { explained, foldLog, openForRebuild, openForWriting, removeDatabase } from './database.ts';
import { StoreRefused } from './refusal.ts';
import { replay } from './replay.ts';
import { insertInto } from './statement.ts';
import { takeWriterLock } from './writer-lock.ts';
import type { Tables } from './tables.ts';
import type { AuditOptions } from './verify.ts';

export interface RebuildOptions extends AuditOptions {
  /** Whether the new tables may hold another credit feed than the old ones. */
  readonly acceptFeed: boolean;
}

export interface RebuildReport {
  readonly facts: number;
  /** Where the store as it was before is kept. */
  readonly previous: string;
}

/**
 * Makes every projection anew from the journal: replays it into a new file, then puts that in the
 * place of the old one, which is kept beside it. The daemon must be stopped. Throws
 * `StoreRefused` when the journal itself is damaged (then a backup is needed, not a rebuild), or
 * when the credit feed would differ from the one that consumers have read.
 */
export function rebuild(path: string, options: RebuildOptions): RebuildReport {
  const fresh = `${path}.rebuild`;
  // Nobody else may write meanwhile: what they wrote would be lost with the old file.
  const lock = takeWriterLock(path);
  removeDatabase(fresh);
  const old = openForRebuild(path);
  const { decode, progress } = options;
  try {
    // At once: whoever reads it would keep us from it after a long replay as well.
    foldLog(old, path);
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
    if (old.open) old.close();
    removeDatabase(fresh);
    throw explained(fresh, error);
  } finally {
    lock.release();
  }
}

/** Copies what is not made by a replay. */
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

/** The first place at which two credit feeds differ; null when they are the same. */
function firstDifference(old: Database, fresh: Database): number | null {
  const made = fresh.prepare(FEED).iterate();
  let place = 0;
  try {
    for (const item of old.prepare(FEED).iterate()) {
      place += 1;
      if (!isDeepStrictEqual(item, made.next().value)) return place;
    }
    return made.next().done === true ? null : place + 1;
  } finally {
    made.return?.();
  }
}

/**
 * Consumers have read the credit feed and acted on it. When the new one differs, then either the
 * old table was damaged, or this version's rules read the journal in another way: a person decides.
 */
function assertFeedKept(old: Database, fresh: Database, path: string): void {
  const place = firstDifference(old, fresh);
  if (place === null) return;
  throw new StoreRefused(
    `${path}: the rebuilt credit feed differs from the one that consumers have read, first at item ${place}. If its table was damaged, rebuild with --accept-feed; if not, run the version that wrote this store`,
  );
}

function replaceBy(fresh: string, path: string): string {
  let number = 1;
  while (existsSync(`${path}.before-rebuild-${number}`)) number += 1;
  const previous = `${path}.before-rebuild-${number}`;
  // At no instant is there no store under its name: a daemon started then would begin a new one.
  linkSync(path, previous);
  renameSync(fresh, path);
  for (const suffix of ['-wal', '-shm']) {
    rmSync(`${path}${suffix}`, { force: true });
    rmSync(`${fresh}${suffix}`, { force: true });
  }
  return previous;
}
