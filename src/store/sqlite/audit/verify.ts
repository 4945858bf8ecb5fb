import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import type { DecodeBody } from '../../port.ts';
import { checkHashChain, checkIntegrity, checkLedger, Problems, type AuditCheck } from './audit.ts';
import { compareProjections } from './projections.ts';
import { checkCloses } from './closes.ts';
import { checkKeys } from './keys.ts';
import { openForReading, openScratch } from '../file/database.ts';
import { replay, ReplayDiverged } from './replay.ts';
import { makeScratchFolder, fullDiskRefusal } from './scratch-folder.ts';

/** Receives the progress of an audit, a rebuild or a backup. */
export interface Progress {
  /** Begins a stage of `total` steps. */
  start(stage: string, total: number): void;
  /** The stage has done `steps` more steps. */
  tick(steps: number): void;
  /** The last stage has ended. */
  done(): void;
}

/** What an audit needs beside the store. `decode`: reads the bodies of webhooks again. */
export interface AuditOptions {
  readonly decode: DecodeBody;
  readonly progress: Progress;
}

/** The result of an audit. `sound`: no check found a problem. `facts`: length of the journal. */
export interface AuditReport {
  readonly sound: boolean;
  readonly facts: number;
  readonly checks: readonly AuditCheck[];
}

/** Number of rows of a table; 0 when the table is damaged, which the checks report. */
function countOf(db: Database, table: 'journal' | 'postings'): number {
  const count = (): number | undefined =>
    db.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get();
  return new Problems().attempt(count) ?? 0;
}

function checked(check: AuditCheck['check'], run: () => AuditCheck): AuditCheck {
  const problems = new Problems();
  return problems.attempt(run) ?? problems.result(check, 0);
}

function checkedLedger(db: Database, tick: (postings: number) => void): readonly AuditCheck[] {
  const problems = new Problems();
  const found = problems.attempt(() => checkLedger(db, tick));
  if (found !== undefined) return [found.entries, found.balances];
  return [problems.result('entries_balance', 0), problems.result('balances', 0)];
}

/**
 * Audits a store without changing it; a daemon may run beside it. The audit checks the database's
 * integrity, the journal's hash chain, the entries, the balances, the closed days, the keys, and
 * every projection against a replay of the journal. A check that damage stops counts as failed, and
 * the others go on. Throws `StoreRefused` when the store cannot be opened, or when the temporary
 * folder (TMPDIR) has no room for the replay.
 */
export function verify(path: string, options: AuditOptions): AuditReport {
  const db = openForReading(path);
  try {
    const folder = makeScratchFolder();
    try {
      const scratch = openScratch(join(folder, 'replay.db'));
      try {
        return auditOf(db, scratch, options);
      } finally {
        scratch.close();
      }
    } catch (error) {
      throw fullDiskRefusal(folder, error);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  } finally {
    db.close();
  }
}

function auditOf(db: Database, scratch: Database, options: AuditOptions): AuditReport {
  const { progress } = options;
  // One read transaction, so that every check sees the same snapshot.
  db.exec('BEGIN');
  const facts = countOf(db, 'journal');
  const tick = (count: number): void => progress.tick(count);
  const checks = [checked('integrity', () => checkIntegrity(db, scratch))];
  progress.start('hash chain', facts);
  checks.push(checked('hash_chain', () => checkHashChain(db, tick)));
  progress.start('ledger', countOf(db, 'postings'));
  checks.push(...checkedLedger(db, tick));
  checks.push(checked('closes', () => checkCloses(db)));
  checks.push(checked('keys', () => checkKeys(db)));
  progress.start('replay', facts);
  checks.push(checked('projections', () => checkProjections(db, scratch, options)));
  progress.done();
  return { sound: checks.every((check) => check.problemCount === 0), facts, checks };
}

function checkProjections(db: Database, scratch: Database, options: AuditOptions): AuditCheck {
  const { decode, progress } = options;
  try {
    replay(db, scratch, { decode, tick: (count) => progress.tick(count) });
  } catch (error) {
    if (!(error instanceof ReplayDiverged)) throw error;
    const problems = new Problems();
    problems.add(error.message);
    return problems.result('projections', 0);
  }
  return compareProjections(db, scratch);
}
