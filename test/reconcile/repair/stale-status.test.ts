import { expect, test } from 'vitest';
import type { Sweep } from '../../../src/reconcile/sweep/sweep.ts';
import { GRACE_MS, Stage, type Webhook } from '../stage.ts';

const MINUTE = 60_000;

async function mendingSweep(stage: Stage): Promise<Sweep> {
  const webhookUrl = await stage.webhookUrl();
  return stage.newSweep({ subscription: { webhookUrl, vaults: 'all' } });
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
