import { expect, test, vi } from 'vitest';
import type { CustodyTransaction } from '../../../src/domain/fact/custody-record.ts';
import { LongList } from '../../../src/reconcile/sweep/long-list.ts';
import { garblesOwnRows } from '../shown-otherwise.ts';
import { Stage } from '../stage.ts';

const FUNDS = '900000000000000000';
const OUT_OF_BUDGET = { kind: 'rate-budget', retryAtMs: 0 } as const;

/** A stage with two deposits and an own transfer, and what a visit of its long list takes. */
async function listed() {
  const stage = await Stage.start();
  const [from, to] = [await stage.depositAddress(), await stage.depositAddress()];
  await stage.paid(from, FUNDS, 3);
  await stage.order(from, to.networkAddress, '1000');
  await stage.mine(1);
  const taken: CustodyTransaction[][] = [];
  const list = new LongList({ floor: 0 });
  let accepts = true;
  const ask = stage.client.transactions.bind(stage.client);
  const asking = vi.spyOn(stage.client, 'transactions');
  const goOn = () =>
    list.goOn({
      custody: stage.client,
      priority: 'deposits',
      deadlineMs: stage.now + 45_000,
      overlapMs: 0,
      askedAfter: 0,
      take: async (rows) => {
        taken.push([...rows]);
        return accepts;
      },
    });
  return { stage, list, taken, ask, asking, goOn, refuse: () => (accepts = false) };
}

const types = (taken: readonly CustodyTransaction[][]): string[] =>
  taken.flatMap((rows) => rows.map((row) => row.type));

test('own transactions are taken first, and again right before the deposits', async () => {
  const { list, taken, asking, goOn } = await listed();
  const part = await goOn();
  expect(part.unfinished).toBeNull();
  expect(types(taken)).toEqual(['outgoing', 'outgoing', 'incoming', 'incoming']);
  expect(asking.mock.calls.map(([query]) => query.type)).toEqual([
    'outgoing',
    'incoming',
    'outgoing',
  ]);
  expect(part.requests).toBe(3);
  expect(list.newest).toBe(Math.max(...taken.flat().map((row) => row.updatedAt)));
});

test('an own transaction whose row cannot be read is taken by its hash, before the deposits', async () => {
  const { stage, taken, goOn } = await listed();
  garblesOwnRows(stage);
  const part = await goOn();
  expect(part.unreadable).toBe(1);
  expect(types(taken)).toEqual(['outgoing', 'outgoing', 'incoming', 'incoming']);
  expect(taken[0]).toMatchObject([{ status: 'unreadable' }]);
});

test('where the budget ends it waits, and goes on there with each row taken once', async () => {
  const { taken, asking, goOn } = await listed();
  asking.mockResolvedValueOnce(OUT_OF_BUDGET);
  const first = await goOn();
  expect(first.unfinished).toMatchObject({ kind: 'later', cause: 'rate_budget' });
  expect(taken).toEqual([]);
  const second = await goOn();
  expect(second.unfinished).toBeNull();
  const incoming = taken.flat().filter((row) => row.type === 'incoming');
  expect(new Set(incoming.map((row) => row.transactionId)).size).toBe(incoming.length);
  expect(incoming).toHaveLength(2);
});

test('deposits that were read stay held as long as own transactions cannot be asked for', async () => {
  const { ask, taken, asking, goOn } = await listed();
  let own = 0;
  asking.mockImplementation((query, options) => {
    own += query.type === 'outgoing' ? 1 : 0;
    const isHead = query.type === 'outgoing' && own === 2;
    return isHead ? Promise.resolve(OUT_OF_BUDGET) : ask(query, options);
  });
  const first = await goOn();
  expect(first.unfinished).toMatchObject({ kind: 'later' });
  expect(types(taken)).toEqual(['outgoing']);
  const second = await goOn();
  expect(second.unfinished).toBeNull();
  expect(types(taken).filter((type) => type === 'incoming')).toHaveLength(2);
});

test('a store that does not take the evidence ends the reading', async () => {
  const { goOn, refuse } = await listed();
  refuse();
  expect((await goOn()).unfinished).toMatchObject({ kind: 'failed' });
});

test('an API that refuses the filter ends the reading, and says so', async () => {
  const { stage, goOn } = await listed();
  await stage.faults({ fault: 'error', errorCode: 'BR-1', operation: 'GET /transactions' });
  const { unfinished } = await goOn();
  expect(unfinished).toMatchObject({ kind: 'failed', cause: 'api_unavailable' });
  expect(unfinished?.detail).toMatch(/refused/);
});
