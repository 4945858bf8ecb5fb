import Sqlite from 'better-sqlite3';
import { deflateSync, inflateSync } from 'node:zlib';
import { expect } from 'vitest';
import { decode } from '../../../../src/intake/decode.ts';
import { verify, type AuditReport } from '../../../../src/store/sqlite/audit/verify.ts';
import { fullStore } from './full-store.ts';

/** A change of a store, and the problem that the audit must report. */
export type Forgery = readonly [what: string, sql: string, names: RegExp];

const SILENT = { start: () => undefined, tick: () => undefined, done: () => undefined };

export function audit(path: string): AuditReport {
  return verify(path, { decode, progress: SILENT });
}

/** `check: problem` for everything that an audit found. */
export function problemsOf(report: AuditReport): string[] {
  return report.checks.flatMap(({ check, problems }) => problems.map((one) => `${check}: ${one}`));
}

/** Changes a closed store without its triggers and constraints. */
export function tamper(path: string, sql: string): void {
  const db = new Sqlite(path);
  const triggers = db
    .prepare<[], { name: string }>("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
    .all();
  for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`);
  db.function('replaced', (content, from, to) => {
    const text = inflateSync(content as Uint8Array).toString('utf8');
    return deflateSync(text.replaceAll(String(from), String(to)));
  });
  db.pragma('foreign_keys = OFF');
  db.pragma('ignore_check_constraints = ON');
  const { changes } = db.prepare(sql).run();
  db.close();
  expect(changes).toBeGreaterThan(0);
}

/** What an audit reports of a store with something in every table and this forgery. */
export async function auditOfForged(sql: string): Promise<AuditReport> {
  const { open, path } = await fullStore();
  open.close();
  tamper(path, sql);
  return audit(path);
}
