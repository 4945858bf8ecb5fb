import { expect, test, vi } from 'vitest';
import type { Outcome } from '../../../src/custody/call/outcome.ts';
import type { Page } from '../../../src/custody/list/row.ts';
import type { TransactionRecord } from '../../../src/wire/transaction.ts';
import { lastReport, unsoundCloses } from '../../store/close/closing.ts';
import type { Stage } from '../stage.ts';
import { afterQuietDay, HOUR_MS, toNextDay } from './days.ts';

const ROWS_PER_PAGE = 200;
const MINUTE_MS = 60_000;

const BUDGET_IS_USED: Outcome<never> = { kind: 'rate-budget', retryAtMs: 0 };

/** The custody API's list: receipts in the mempool, the newest first. */
class LongList {
  readonly rows: TransactionRecord[] = [];
  /** The priorities of the requests that it answered. */
  readonly answered: string[] = [];
  /** Requests that the budget still admits. */
  room = Infinity;

  readonly #stage: Stage;
  readonly #vaultId: string;

  constructor(stage: Stage, vaultId: string) {
    this.#stage = stage;
    this.#vaultId = vaultId;
    vi.spyOn(stage.client, 'transactions').mockImplementation(
      ({ page, pageSize: asked }, { priority }) => {
        if (this.room === 0) return Promise.resolve(BUDGET_IS_USED);
        this.room -= 1;
        this.answered.push(priority);
        const pageSize = Math.min(asked, ROWS_PER_PAGE);
        const rows = this.rows.slice(page * pageSize, (page + 1) * pageSize);
        const total = this.rows.length;
        const value: Page<TransactionRecord> = { rows, unreadable: [], page, pageSize, total };
        return Promise.resolve({ kind: 'ok', value });
      },
    );
  }

  /** So many more transactions change, one in each millisecond before now. */
  grow(count: number): void {
    const { now } = this.#stage;
    const before = this.rows.length;
    const news = Array.from({ length: count }, (_, index): TransactionRecord => {
      const changedAt = new Date(now - index).toISOString();
      return {
        transactionId: `long-${before + count - index}`,
        vaultId: this.#vaultId,
        type: 'incoming',
        status: 'mempool',
        network: 'ethereum',
        createdAt: changedAt,
        updatedAt: changedAt,
      };
    });
    this.rows.unshift(...news);
  }
}

/** Ten past midnight, after a day in which so many transactions changed. */
async function afterLongDay(count: number) {
  const { stage, depositAddress, closer } = await afterQuietDay();
  const list = new LongList(stage, depositAddress.vaultId);
  list.grow(count);
  await toNextDay(stage);
  return { stage, closer, list };
}

const GOES_ON = {
  kind: 'postponed',
  days: [],
  reason: expect.stringMatching(
    /^[1-9]\d+ changed transactions were read so far: the close reads the others in the next minutes$/,
  ) as string,
};

test('a close goes on where its last attempt stopped, and leaves sweeps their requests', async () => {
  const { stage, closer, list } = await afterLongDay(20_000);
  expect(await closer.closeDue()).toEqual(GOES_ON);
  expect(list.answered).toEqual(Array.from({ length: 100 }, () => 'sweep'));
  await stage.caller.advance(MINUTE_MS);
  expect(await closer.closeDue()).toMatchObject({ kind: 'closed' });
  const report = lastReport(stage.open);
  expect(report.custody).toMatchObject({ compared: true, transactions: 20_000 });
  expect(new Set(list.answered.slice(100))).toEqual(new Set(['inactive']));
  expect(list.answered.length).toBeLessThan(150);
  expect(unsoundCloses(stage.open)).toEqual([]);
});

test('a close waits for longer than an hour while the budget lets it go on', async () => {
  const { stage, closer, list } = await afterLongDay(5_000);
  for (let hours = 0; hours < 3; hours += 1) {
    list.room = 7;
    expect(await closer.closeDue()).toEqual(GOES_ON);
    await stage.caller.advance(HOUR_MS);
  }
  list.room = Infinity;
  expect(await closer.closeDue()).toMatchObject({ kind: 'closed' });
  expect(lastReport(stage.open).custody).toMatchObject({ compared: true, transactions: 5_000 });
  expect(list.answered.length).toBeLessThan(40);
});

test('a close that read for hours waits for another hour when it reads nothing', async () => {
  const { stage, closer, list } = await afterLongDay(5_000);
  for (let hours = 0; hours < 3; hours += 1) {
    list.room = 7;
    expect(await closer.closeDue()).toEqual(GOES_ON);
    await stage.caller.advance(HOUR_MS - MINUTE_MS);
  }
  const reason = expect.stringMatching(/^the request budget is used up/) as string;
  expect(await closer.closeDue()).toEqual({ kind: 'postponed', days: [], reason });
  await stage.caller.advance(MINUTE_MS);
  expect(await closer.closeDue()).toMatchObject({ kind: 'closed' });
  expect(lastReport(stage.open).custody).toEqual({ compared: false, reason });
});

test('a reading that an outage broke off goes on with the next day’s close', async () => {
  const { stage, closer, list } = await afterLongDay(5_000);
  list.room = 20;
  expect(await closer.closeDue()).toEqual(GOES_ON);
  await stage.caller.advance(2 * HOUR_MS);
  expect(await closer.closeDue()).toMatchObject({ kind: 'closed' });
  const reason = expect.stringMatching(/^the request budget is used up/) as string;
  expect(lastReport(stage.open).custody).toEqual({ compared: false, reason });
  list.grow(400);
  await toNextDay(stage);
  list.room = Infinity;
  expect(await closer.closeDue()).toMatchObject({ kind: 'closed' });
  expect(lastReport(stage.open).custody).toMatchObject({ compared: true, transactions: 5_400 });
  expect(list.answered.length).toBeLessThan(40);
  // The next day's close begins in the sweeps' lane: the lowest one may have no room for days.
  expect(new Set(list.answered)).toEqual(new Set(['sweep']));
});

test('a list longer than a close reads is read once, and each report says that it is too long', async () => {
  const { stage, closer, list } = await afterLongDay(60_000);
  for (let attempts = 0; attempts < 2; attempts += 1) {
    expect(await closer.closeDue()).toEqual(GOES_ON);
    await stage.caller.advance(MINUTE_MS);
  }
  expect(await closer.closeDue()).toMatchObject({ kind: 'closed' });
  const reason = expect.stringMatching(
    /^more transactions changed since custody was last compared than a close reads \(it read \d+\): neither this day nor a later one can be compared\. Sweeps still compare each transaction: check every open break before you sign$/,
  ) as string;
  expect(lastReport(stage.open)).toMatchObject({
    custody: { compared: false, reason },
    exceptions: [{ kind: 'custody_not_compared' }],
  });
  await toNextDay(stage);
  expect(await closer.closeDue()).toMatchObject({ kind: 'closed' });
  expect(lastReport(stage.open).custody).toEqual({ compared: false, reason });
  expect(list.answered).toHaveLength(300);
});
