import Sqlite from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { closesOf } from '../../close/closing.ts';
import { openLedgerFile } from '../../open-ledger.ts';
import { Service } from '../../webhook.ts';
import { audit, problemsOf, tamper } from './forgery.ts';
import { fullStore } from './full-store.ts';

test('a store with every kind of fact is sound, also while the daemon has it open', async () => {
  const { open, path } = await fullStore();
  const empty = open
    .rows<{ name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .filter(({ name }) => open.rows(`SELECT 1 FROM ${name} LIMIT 1`).length === 0);
  expect(empty.map(({ name }) => name)).toEqual([]);
  const exempt = closesOf(open).map(({ parsed }) => parsed.exempt);
  expect(exempt).toEqual([undefined, { known: 1 }]);
  const report = audit(path);
  expect(problemsOf(report)).toEqual([]);
  expect(report).toMatchObject({ sound: true, facts: open.journalLength() });
});

test('an empty store is sound', async () => {
  const { path } = await openLedgerFile();
  expect(audit(path).sound).toBe(true);
});

/** Puts a text into a table's own statement, as an older schema.sql or a forger would have. */
function rewriteStatement(path: string, table: string, from: string, to: string): void {
  const db = new Sqlite(path);
  db.unsafeMode();
  db.pragma('writable_schema = ON');
  const { changes } = db
    .prepare(
      'UPDATE sqlite_schema SET sql = replace(sql, ?, ?) WHERE name = ? AND instr(sql, ?) > 0',
    )
    .run(from, to, table, from);
  db.close();
  expect(changes).toBe(1);
}

test('a store whose tables have comments of another version is sound', async () => {
  const { open, path } = await fullStore();
  open.close();
  const column = '  changed_at      INTEGER NOT NULL,\n';
  rewriteStatement(path, 'movements', column, `${column}  -- When a run judged it.\n`);
  expect(problemsOf(audit(path))).toEqual([]);
});

test('a comment that changes a constraint is an altered table', async () => {
  const { open, path } = await fullStore();
  open.close();
  rewriteStatement(path, 'movements', "'agrees' OR", "'agrees\n--' OR 1 OR '\n' OR");
  expect(problemsOf(audit(path))).toContain('integrity: table movements was altered');
});

describe('an audit finds and names', () => {
  test('a missing append-only trigger', async () => {
    const { open, path } = await fullStore();
    open.close();
    const db = new Sqlite(path);
    db.exec('DROP TRIGGER journal_keeps');
    db.close();
    const report = audit(path);
    expect(report.sound).toBe(false);
    expect(problemsOf(report).join('\n')).toMatch(/journal_keeps/);
  });

  test('many problems: it counts all and describes the first 20', async () => {
    const { open, path } = await fullStore();
    const service = new Service();
    const many = Array.from({ length: 30 }, (_, at) =>
      service.confirmed(1, { id: `many-${at}`, blockchainHash: `0x${at}` }),
    );
    await open.deliverTogether(...many);
    open.close();
    tamper(path, 'UPDATE notifications SET received_at = 1');
    const check = audit(path).checks.find((one) => one.check === 'projections');
    expect(check?.problems).toHaveLength(20);
    expect(check?.problemCount).toBeGreaterThan(30);
  });
});
