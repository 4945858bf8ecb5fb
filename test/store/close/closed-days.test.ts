import Sqlite from 'better-sqlite3';
import { closeSync, openSync, writeSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { openForReading } from '../../../src/store/sqlite/file/database.ts';
import { SqliteReads } from '../../../src/store/sqlite/reads/sqlite-reads.ts';
import { closeOf, dayNumber } from './closing.ts';
import { openLedgerFile } from '../open-ledger.ts';

/** Makes the reports long and damages their pages: only a read of a report fails. */
function spoilReports(path: string): void {
  const db = new Sqlite(path);
  db.exec('DROP TRIGGER daily_closes_keep');
  db.prepare('UPDATE daily_closes SET report = ?').run('x'.repeat(1_000_000));
  db.pragma('wal_checkpoint(TRUNCATE)');
  const pages = db
    .prepare<[], { pageno: number }>(
      "SELECT pageno FROM dbstat WHERE name = 'daily_closes' AND pagetype = 'overflow'",
    )
    .all();
  const bytes = db.pragma('page_size', { simple: true }) as number;
  db.close();
  const file = openSync(path, 'r+');
  for (const { pageno } of pages) {
    writeSync(file, Buffer.alloc(bytes, 0xff), 0, bytes, (pageno - 1) * bytes);
  }
  closeSync(file);
}

test('listing closed days and finding the last one read no report', async () => {
  const { open, path } = await openLedgerFile();
  for (const [day, cutOffAt] of [
    [dayNumber(0), open.at + 1],
    [dayNumber(1), open.at + 2],
  ] as const) {
    await open.record(closeOf(open, { day, cutOffAt }));
  }
  open.close();
  spoilReports(path);
  const reads = new SqliteReads(openForReading(path));
  onTestFinished(() => reads.close());
  const { items } = await reads.closes({ page: 0, pageSize: 100 });
  expect(items.map(({ close }) => close)).toMatchObject([
    { day: dayNumber(1), previousReportHash: items[1]?.close.reportHash },
    { day: dayNumber(0), previousReportHash: null },
  ]);
  expect(await reads.lastClose()).toEqual(items[0]?.close);
  await expect(reads.closedDay(dayNumber(0))).rejects.toThrow(/malformed/);
});
