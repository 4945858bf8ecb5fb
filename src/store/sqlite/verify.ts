import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import type { DecodeBody } from '../port.ts';
import {
  brokenOff,
  checkHashChain,
  checkIntegrity,
  checkLedger,
  compareProjections,
  Problems,
  type AuditCheck,
} from './audit.ts';
import { checkCloses } from './audit-closes.ts';
import { checkKeys } from './audit-keys.ts';
import { openForReading, openScratch } from './database.ts';
import { replay, ReplayDiverged } from './replay.ts';

/** How far an audit or a rebuild has come. */
export interface Progress {
  /** Begins a stage of so many steps. */
  start(stage: string, total: number): void;
  tick(steps: number): void;
  done(): void;
}

export interface AuditOptions {
  readonly decode: DecodeBody;
  readonly progress: Progress;
}

export interface AuditReport {
  readonly sound: boolean;
  readonly facts: number;
  readonly checks: readonly AuditCheck[];
}

/** Rows for the eye. Of a table that cannot be counted, none: the checks say what is wrong with it. */
function countOf(db: Database, table: 'journal' | 'postings'): number {
  let count = 0;
  new Problems().attempt(() => {
    count = db.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() ?? 0;
  });
  return count;
}

function checked(check: AuditCheck['check'], run: () => AuditCheck): AuditCheck {
  try {
    return run();
  } catch (error) {
    return brokenOff(check, error);
  }
}

function checkedLedger(db: Database, tick: (postings: number) => void): readonly AuditCheck[] {
  try {
    const { entries, balances } = checkLedger(db, tick);
    return [entries, balances];
  } catch (error) {
    return [brokenOff('entries_balance', error), brokenOff('balances', error)];
  }
}

/**
 * Audits a store without changing it, beside a running daemon: SQLite's own integrity, the
 * journal's hash chain, every entry zero per asset, balances equal to their postings, the chain of
 * closed days, and every projection equal to a replay of the journal into an empty store. A check
 * that damage breaks off has found it, and the others go on.
 */
export function verify(path: string, options: AuditOptions): AuditReport {
  const db = openForReading(path);
  const scratchFolder = mkdtempSync(join(tmpdir(), 'counterfoil-verify-'));
  const scratch = openScratch(join(scratchFolder, 'replay.db'));
  const { progress } = options;
  try {
    // One read transaction: a snapshot that the daemon's commits do not move.
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
  } finally {
    db.close();
    scratch.close();
    rmSync(scratchFolder, { recursive: true, force: true });
  }
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
