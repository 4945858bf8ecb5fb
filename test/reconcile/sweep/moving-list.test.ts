import { expect, test } from 'vitest';
import { readPages } from '../../../src/custody/list/pages.ts';
import { newestFirst } from '../../../src/reconcile/list/custody-list.ts';
import { Stage } from '../stage.ts';

const ROWS = 36;
const PAGE_SIZE = 12;

test.for([
  ['rows are inserted', { inserts: true, updates: false, drifts: false }],
  ['rows change, and move to its head', { inserts: false, updates: true, drifts: false }],
  ['rows are inserted and change', { inserts: true, updates: true, drifts: false }],
  ['pages are off by a row', { inserts: false, updates: false, drifts: true }],
] as const)(
  'a list in which %s between its pages is read completely, each row once',
  async ([, how]) => {
    const stage = await Stage.start();
    const depositAddress = await stage.depositAddress();
    for (let row = 0; row < ROWS; row += 1) {
      await stage.caller.sim('POST', '/sim/deposits', {
        network: 'ethereum',
        addressId: depositAddress.addressId,
        asset: 'ethereum:ETH',
        amount: String(100 + row),
      });
      // Some of every depth, so that a block moves some and leaves others.
      if (row % 6 === 0) await stage.mine(1);
    }
    const listed = async () => {
      const at = { page: 0, pageSize: 1_000, sort: 'updatedAt:desc' } as const;
      const deadlineMs = stage.now + 45_000;
      const page = await stage.client.transactions(at, { priority: 'deposits', deadlineMs });
      if (page.kind !== 'ok') throw new Error(page.kind);
      return page.value.rows;
    };
    const before = await listed();
    if (how.drifts) await stage.faults({ fault: 'page-drift', count: 2 });
    let asked = 0;
    const rowsRead: string[] = [];
    const versions = new Map<string, string>();
    const reading = readPages({
      ...newestFirst(0),
      pageSizeMax: PAGE_SIZE,
      read: async (at) => {
        asked += 1;
        if (how.inserts && asked % 2 === 0) await stage.pay(depositAddress, 7);
        if (how.updates && asked === 3) await stage.mine(1);
        const deadlineMs = stage.now + 45_000;
        const query = { ...at, sort: 'updatedAt:desc' } as const;
        return stage.client.transactions(query, { priority: 'deposits', deadlineMs });
      },
    });
    let end: string | undefined;
    for await (const event of reading) {
      if (event.kind !== 'rows') end = event.kind;
      else {
        rowsRead.push(...event.rows.map((row) => `${row.transactionId} ${row.updatedAt}`));
        for (const row of event.rows) versions.set(row.transactionId, row.updatedAt);
      }
    }
    expect(end).toBe('complete');
    expect(asked).toBeGreaterThan(ROWS / PAGE_SIZE);
    expect(new Set(rowsRead).size).toBe(rowsRead.length);
    const missed = before.filter((row) => !versions.has(row.transactionId));
    expect(missed).toEqual([]);
    await stage.faults();
    const now = new Map((await listed()).map((row) => [row.transactionId, row.updatedAt]));
    for (const { transactionId } of before) {
      expect(versions.get(transactionId)).toBe(now.get(transactionId));
    }
  },
);
