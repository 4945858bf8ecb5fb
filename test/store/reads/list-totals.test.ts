import { describe, expect, onTestFinished, test } from 'vitest';
import type { NotificationQuery } from '../../../src/store/queries.ts';
import { decode } from '../../../src/intake/decode.ts';
import { rebuild } from '../../../src/store/sqlite/audit/rebuild.ts';
import { openForReading } from '../../../src/store/sqlite/file/database.ts';
import { SqliteReads } from '../../../src/store/sqlite/reads/sqlite-reads.ts';
import { openLedgerFile } from '../open-ledger.ts';
import { Service } from '../webhook.ts';

describe('a list that may have millions of rows', () => {
  /** SQLite's plans for reading and counting the rows of a list. */
  async function plansOf(
    list: (reads: SqliteReads) => Promise<unknown>,
    of = /count|limit/,
  ): Promise<string[]> {
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
      .filter((text) => of.test(text))
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

  test('the total of all withdrawals needs no count, also after a rebuild', async () => {
    const { open, path } = await openLedgerFile();
    const service = new Service();
    for (const transactionId of ['tx-1', 'tx-2', 'tx-3']) {
      const blockchainHash = `0x${transactionId}`;
      await open.deliver(service.outgoing('submitted', { transactionId, blockchainHash }));
      await open.deliver(service.outgoing('mined', { transactionId, blockchainHash }));
    }
    const totals = async (): Promise<number[]> => {
      const db = openForReading(path);
      const counted = db.prepare<[], number>('SELECT count(*) FROM withdrawals').pluck().get() ?? 0;
      const reads = new SqliteReads(db);
      const { total } = await reads.withdrawals({}, PAGE);
      reads.close();
      return [total, counted];
    };
    expect(await totals()).toEqual([3, 3]);
    open.close();
    const progress = { start: () => undefined, tick: () => undefined, done: () => undefined };
    rebuild(path, { decode, progress, acceptFeed: false });
    expect(await totals()).toEqual([3, 3]);
  });

  test('the plan of that total reads one row', async () => {
    const plans = await plansOf((reads) => reads.withdrawals({}, PAGE), /max\(rowid\)/);
    expect(plans).toEqual(['SEARCH withdrawals']);
  });
});
