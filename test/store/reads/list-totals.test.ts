import { describe, expect, onTestFinished, test } from 'vitest';
import type { NotificationQuery } from '../../../src/store/queries.ts';
import { openForReading } from '../../../src/store/sqlite/file/database.ts';
import { SqliteReads } from '../../../src/store/sqlite/reads/sqlite-reads.ts';
import { openLedgerFile } from '../open-ledger.ts';
import { Service } from '../webhook.ts';

describe('a list that may have millions of rows', () => {
  /** SQLite's plans for reading and counting the rows of a list. */
  async function plansOf(list: (reads: SqliteReads) => Promise<unknown>): Promise<string[]> {
    const { open, path } = await openLedgerFile();
    const asked: string[] = [];
    const db = openForReading(path);
    const prepare = db.prepare.bind(db);
    db.prepare = (text: string) => {
      asked.push(text);
      return prepare(text);
    };
    const reads = new SqliteReads(db);
    await list(reads);
    reads.close();
    return asked
      .filter((text) => text.includes('count') || text.includes('limit'))
      .flatMap((text) => {
        const statement = open.db.prepare(`EXPLAIN QUERY PLAN ${text}`);
        const values = [...text.matchAll(/\?/g)].map(() => 0);
        return (statement.all(...values) as { detail: string }[]).map(({ detail }) => detail);
      });
  }

  const PAGE = { page: 0, pageSize: 10 };
  const LISTS: [name: string, list: (reads: SqliteReads) => Promise<unknown>][] = [
    ['notifications of a vault', (reads) => reads.notifications({ vaultId: 'v1' }, PAGE)],
    ['quarantined notifications', (reads) => reads.notifications({ status: 'quarantined' }, PAGE)],
    [
      'open breaks of a type',
      (reads) => reads.breaks({ state: 'open', type: 'conservation' }, PAGE),
    ],
    ['the counts of the metrics', (reads) => reads.counts()],
  ];

  test.for(LISTS)('%s: SQLite scans no large table', async ([, list]) => {
    const details = await plansOf(list);
    expect(details.length).toBeGreaterThan(0);
    // The few unacknowledged credits have their own index.
    const scans = /SCAN (?:notifications|deposits|breaks|movements)(?!.*deposits_unacknowledged)/;
    expect(details.filter((one) => scans.test(one))).toEqual([]);
  });

  test('its total is the number of matching rows for each filter', async () => {
    const { open, path } = await openLedgerFile();
    const reads = new SqliteReads(openForReading(path));
    onTestFinished(() => reads.close());
    const service = new Service();
    await open.deliver(
      service.confirmed(1),
      service.confirmed(1, { vaultId: 'v2', blockchainHash: '0xb2' }),
      { ...service.confirmed(1), id: 'again' },
      { id: 'strange', stream: 'weather', type: 'rain' },
    );
    const totalOf = async (query: NotificationQuery) =>
      (await reads.notifications(query, PAGE)).total;
    expect(await totalOf({})).toBe(4);
    expect(await totalOf({ vaultId: 'v1' })).toBe(2);
    expect(await totalOf({ vaultId: 'v1', status: 'duplicate' })).toBe(1);
    expect(await totalOf({ status: 'quarantined' })).toBe(1);
    expect(await totalOf({ vaultId: 'v3' })).toBe(0);
    expect((await reads.breaks({ state: 'open' }, PAGE)).total).toBe(1);
    expect((await reads.breaks({ type: 'conservation' }, PAGE)).total).toBe(0);
    expect((await reads.deposits({ state: 'confirming' }, PAGE)).total).toBe(2);
  });
});
