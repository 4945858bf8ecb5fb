import type { Database } from 'better-sqlite3';
import { existsSync } from 'node:fs';
import { decodeAgain } from '../../intake/decode.ts';
import { CommandFailed } from '../../daemon/process/terminal.ts';
import {
  JournalUnavailable,
  type JournalHead,
  type SharedJournal,
} from '../../store/replicated/shared-journal.ts';
import { StoreFailed } from '../../store/port.ts';
import { ReplicaDiverged } from '../../store/replicated/replica.ts';
import { GENESIS_HASH } from '../../store/seal.ts';
import { replay } from '../../store/sqlite/audit/replay.ts';
import type { Progress } from '../../store/sqlite/audit/verify.ts';
import {
  openForReading,
  openForWriting,
  openScratch,
  removeDatabase,
} from '../../store/sqlite/file/database.ts';
import { makeNewStore, refuseExisting } from '../../store/sqlite/file/new-file.ts';
import { explained } from '../../store/sqlite/file/open-refusal.ts';
import { takeWriterLock } from '../../store/sqlite/file/writer-lock.ts';
import { sealedCommits } from '../../store/sqlite/journal/sealed-commits.ts';
import { SqliteLedger } from '../../store/sqlite/sqlite-ledger.ts';

const EMPTY: JournalHead = { commitNumber: 0, lastSeq: 0, hash: GENESIS_HASH };

/** Facts that one read of the journal returns at most. */
const READ_FACTS_MAX = 2_000;

/** What was copied. */
export interface Copied {
  readonly facts: number;
  readonly commits: number;
  /** Why the copy's lease could not be ended: it owns the journal until the lease runs out. */
  readonly stillOwned?: string;
}

/**
 * Copies a SQLite store into an empty shared journal: the same facts, positions and seals. The store
 * stays as it is, and nothing may write it meanwhile. Throws `CommandFailed` when the journal is not
 * empty, has an owner, or stops answering; what was copied by then stays. Throws it too when a file
 * has the name of the temporary one.
 */
export async function copyToJournal(
  path: string,
  journal: SharedJournal,
  progress: Progress,
): Promise<Copied> {
  if (existsSync(scratchOf(path))) {
    throw new CommandFailed(
      `${scratchOf(path)} is in the way of the copy's temporary file: remove it if an interrupted copy left it, or rename it`,
    );
  }
  const lock = takeWriterLock(path);
  const db = openForReading(path);
  try {
    const facts = db.prepare<[], number>('SELECT count(*) FROM journal').pluck().get() ?? 0;
    const epoch = await ownEmpty(journal);
    progress.start('replay', facts);
    const days = computedDays(path, (count) => progress.tick(count));
    progress.start('copy', facts);
    let commits = 0;
    for (const commit of sealedCommits(db, days)) {
      const appended = await journal.append(epoch, commit);
      if (appended.kind !== 'appended') {
        const why = 'cause' in appended ? appended.cause : 'another receiver took the journal';
        throw new CommandFailed(
          `the copy stopped after ${commits} commits (${why}): drop the schema, run \`counterfoil init\` and copy again`,
        );
      }
      commits += 1;
      progress.tick(commit.rows.length);
    }
    const stillOwned = await releaseCause(journal, epoch);
    progress.done();
    return { facts, commits, ...(stillOwned === null ? {} : { stillOwned }) };
  } finally {
    db.close();
    lock.release();
  }
}

/** Ends the lease. Returns null, or why it could not be ended: it then runs out by itself. */
async function releaseCause(journal: SharedJournal, epoch: number): Promise<string | null> {
  try {
    await journal.release(epoch);
    return null;
  } catch (error) {
    if (error instanceof JournalUnavailable) return error.message;
    throw error;
  }
}

/** Owns a journal without commits; returns the epoch. */
async function ownEmpty(journal: SharedJournal): Promise<number> {
  const acquired = await journal.acquire();
  if (acquired.kind === 'owned') {
    throw new CommandFailed(
      `the receiver ${acquired.by.name} owns the journal: stop every receiver before a copy`,
    );
  }
  const following = await journal.read(EMPTY, 1);
  if (following.kind === 'commits' && following.commits.length === 0) return acquired.epoch;
  await releaseCause(journal, acquired.epoch);
  throw new CommandFailed(
    'the journal is not empty: copy into a schema of its own (?schema=NAME), made by `counterfoil init`',
  );
}

/** The copy's temporary file. */
function scratchOf(path: string): string {
  return `${path}.copy`;
}

/** The reports of closed days, computed by a replay into a scratch file beside the store. */
function computedDays(path: string, tick: (facts: number) => void): Map<number, string> {
  const days = new Map<number, string>();
  const scratch = scratchOf(path);
  const from = openForReading(path);
  let into: Database | undefined;
  try {
    into = openScratch(scratch);
    const closed = (seq: number, packed: string): void => void days.set(seq, packed);
    replay(from, into, { decode: decodeAgain, tick, closed });
    return days;
  } catch (error) {
    throw explained(scratch, error);
  } finally {
    into?.close();
    from.close();
    removeDatabase(scratch);
  }
}

/**
 * Copies a shared journal into a new SQLite store, with every table computed from it. Throws
 * `StoreRefused` when the file exists, and `CommandFailed` when this version computes something else;
 * then no file is left.
 */
export async function copyToStore(
  journal: SharedJournal,
  path: string,
  progress: Progress,
): Promise<Copied> {
  refuseExisting(path, '--to');
  try {
    return await makeNewStore(path, '--to', (unfinished) =>
      readInto(unfinished, journal, progress),
    );
  } catch (error) {
    if (error instanceof JournalUnavailable || error instanceof ReplicaDiverged) {
      throw new CommandFailed(`the copy stopped, and made no ${path}: ${error.message}`);
    }
    throw explained(path, error);
  }
}

/**
 * Reads a shared journal, as far as it goes now, into a new SQLite store, which computes every seal and
 * every table. Throws `ReplicaDiverged` when a commit is missing, unreadable or not the sealed one, and
 * `JournalUnavailable`; the file stays then.
 */
export async function readInto(
  path: string,
  journal: SharedJournal,
  progress: Progress,
): Promise<Copied> {
  const end = await journal.head();
  const db = openForWriting(path);
  // The copy is complete or removed, so that single commits need not wait for the disk.
  db.pragma('synchronous = OFF');
  const store = new SqliteLedger(db, { decode: decodeAgain, now: Date.now });
  try {
    progress.start('copy', end.lastSeq);
    while (store.head.commitNumber < end.commitNumber) {
      const following = await journal.read(store.head, READ_FACTS_MAX);
      if (following.kind === 'diverged') throw new ReplicaDiverged(following.detail);
      if (following.commits.length === 0) throw new ReplicaDiverged(tooShort(store.head, end));
      const before = store.head.lastSeq;
      store.follow(following.commits);
      progress.tick(store.head.lastSeq - before);
    }
    db.pragma('synchronous = FULL');
    db.pragma('wal_checkpoint(TRUNCATE)');
    progress.done();
    const { lastSeq: facts, commitNumber: commits } = store.head;
    return { facts, commits };
  } catch (error) {
    throw diskErrorOf(error);
  } finally {
    store.close();
  }
}

/** SQLite's own error, for which `StoreFailed` stands while a commit is applied; or the given error. */
function diskErrorOf(error: unknown): unknown {
  const failure = error instanceof StoreFailed ? error.cause : undefined;
  return failure instanceof Error && failure.cause !== undefined ? failure.cause : error;
}

function tooShort(head: JournalHead, end: JournalHead): string {
  return `the journal's seals end at commit ${head.commitNumber}, but its row of the owner names commit ${end.commitNumber}`;
}
