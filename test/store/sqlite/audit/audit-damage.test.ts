import Sqlite from 'better-sqlite3';
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { expect, test } from 'vitest';
import { decode } from '../../../../src/intake/decode.ts';
import { verify, type AuditReport } from '../../../../src/store/sqlite/audit/verify.ts';
import { verifyWith } from '../../evidence.ts';
import { openLedgerFile } from '../../open-ledger.ts';
import { Service } from '../../webhook.ts';

const PAGE_BYTES = 2_048;
const SILENT = { start: () => undefined, tick: () => undefined, done: () => undefined };

interface Tree {
  readonly name: string;
  readonly rootpage: number;
}

/** A store of one file, and the first page of each table and index. */
async function storeOfPages(): Promise<{ path: string; trees: Tree[] }> {
  const { open, path } = await openLedgerFile();
  const service = new Service();
  await open.deliver(service.confirmed(1), service.confirmed(6), service.chain('transaction'));
  await verifyWith(open);
  open.close();
  const db = new Sqlite(path);
  db.pragma('journal_mode = DELETE');
  const trees = db
    .prepare<[], Tree>('SELECT name, rootpage FROM sqlite_schema WHERE rootpage > 0')
    .all();
  db.close();
  return { path, trees };
}

/** The report of an audit while a page of the store holds these bytes. */
function auditWith(path: string, page: Uint8Array, number: number): AuditReport {
  const file = openSync(path, 'r+');
  writeSync(file, page, 0, PAGE_BYTES, (number - 1) * PAGE_BYTES);
  closeSync(file);
  return verify(path, { decode, progress: SILENT });
}

test('an audit completes and reports an unreadable page of any table or index', async () => {
  const { path, trees } = await storeOfPages();
  const sound = readFileSync(path);
  const names = trees.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['journal', 'postings', 'entries_by_hash']));
  expect(trees.length).toBeGreaterThan(60);
  for (const { name, rootpage } of trees) {
    const report = auditWith(path, new Uint8Array(PAGE_BYTES), rootpage);
    expect([name, report.sound, report.checks.length]).toEqual([name, false, 7]);
    expect([name, report.checks[0]?.problems]).not.toEqual([name, []]);
    auditWith(path, sound.subarray((rootpage - 1) * PAGE_BYTES, rootpage * PAGE_BYTES), rootpage);
  }
});

test('damage in one table does not stop the checks of other tables', async () => {
  const { path, trees } = await storeOfPages();
  const postings = trees.find(({ name }) => name === 'postings');
  const report = auditWith(path, new Uint8Array(PAGE_BYTES), postings?.rootpage ?? 0);
  const said = report.checks.map(({ check, problems }) => [check, problems.at(-1) ?? 'ok']);
  const stopped = 'check stopped: database disk image is malformed';
  expect(Object.fromEntries(said)).toMatchObject({
    integrity: stopped,
    hash_chain: 'ok',
    entries_balance: stopped,
    balances: stopped,
    closes: 'ok',
    keys: 'ok',
    projections: stopped,
  });
});
