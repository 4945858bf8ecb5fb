import { expect, test } from 'vitest';
import type { CustodyClient } from '../../../src/custody/client.ts';
import type { Sweep } from '../../../src/reconcile/sweep/sweep.ts';
import { GRACE_MS, Stage, type Webhook } from '../stage.ts';

const MINUTE = 60_000;

async function mendingSweep(stage: Stage, custody = stage.client): Promise<Sweep> {
  const webhookUrl = await stage.webhookUrl();
  return stage.newSweep({ custody, subscription: { webhookUrl, vaults: 'all' } });
}

/** A run each minute. */
async function runs(stage: Stage, sweep: Sweep, minutes: number): Promise<void> {
  for (let run = 0; run < minutes; run += 1) {
    await stage.run(sweep);
    await stage.caller.advance(MINUTE);
  }
}

/** Makes the API show the rows as they are now whenever it is stale. */
async function served(stage: Stage): Promise<void> {
  await stage.api('GET', '/transactions?page=0&pageSize=100');
}

/** A deposit of 700 units, rolled back a moment ago; the API shows for minutes that it is deep. */
async function goneAndShown(stage: Stage): Promise<string> {
  const hash = await stage.paid(await stage.depositAddress(), 700, 3);
  await served(stage);
  await stage.caller.advance(GRACE_MS);
  await stage.reorg(3, [hash]);
  await stage.faults({ fault: 'stale' });
  return hash;
}

test('a row of before a rollback, shown for minutes, credits no deposit that is gone', async () => {
  const stage = await Stage.start();
  const sweep = await mendingSweep(stage);
  const hash = await goneAndShown(stage);
  await runs(stage, sweep, 5);
  expect(stage.open.feedLines()).toEqual([]);
  expect(await stage.depositState(hash)).toBe('rolled_back');
  await stage.faults();
  await stage.run(sweep);
  expect(stage.open.openBreaks()).toEqual([]);
});

test('the same when a webhook reports it in the mempool again', async () => {
  const stage = await Stage.start();
  const sweep = await mendingSweep(stage);
  const hash = await goneAndShown(stage);
  const mempool = ({ stream, type }: Webhook): boolean =>
    stream === 'incoming' && type === 'mempool';
  await stage.deliver({ ...[...stage.heard.values()].find(mempool), id: 'mempool-again' });
  expect(await stage.depositState(hash)).toBe('detected');
  await runs(stage, sweep, 5);
  expect(stage.open.feedLines()).toEqual([]);
  expect(await stage.depositState(hash)).toBe('detected');
});

test('the same when only its rollback arrived', async () => {
  const stage = await Stage.start();
  const sweep = await mendingSweep(stage);
  stage.loses = ({ stream, type }) => stream === 'incoming' && type !== 'rollback';
  const hash = await goneAndShown(stage);
  await runs(stage, sweep, 5);
  expect(stage.open.feedLines()).toEqual([]);
  expect(await stage.depositState(hash)).toBe('rolled_back');
});

/** The client of an API that shows a transaction's row as it was at this moment. */
async function showingAsNow(stage: Stage): Promise<CustodyClient> {
  const query = { page: 0, pageSize: 100 };
  const before = await stage.client.transactions(query, {
    priority: 'sweep',
    deadlineMs: Infinity,
  });
  return new Proxy(stage.client, {
    get: (client, name: keyof CustodyClient) => {
      if (name === 'transactions') return () => Promise.resolve(before);
      const member: unknown = client[name];
      return typeof member === 'function' ? (member.bind(client) as unknown) : member;
    },
  });
}

test('a row of before it was mined again, shown for minutes, reverses no credit', async () => {
  const stage = await Stage.start();
  const hash = await stage.paid(await stage.depositAddress(), 700, 3);
  await stage.reorg(3, []);
  const custody = await showingAsNow(stage);
  await stage.mine(3);
  await stage.run();
  await stage.caller.advance(GRACE_MS);
  await runs(stage, await mendingSweep(stage, custody), 5);
  expect(stage.open.feedLines()).toEqual(['credit 700']);
  expect(await stage.depositState(hash)).toBe('credited');
  await stage.run();
  expect(stage.open.openBreaks()).toEqual([]);
});
