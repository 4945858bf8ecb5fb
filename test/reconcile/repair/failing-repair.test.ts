import { expect, test, vi } from 'vitest';
import type { Sweep } from '../../../src/reconcile/sweep/sweep.ts';
import { GRACE_MS, Stage } from '../stage.ts';

/** Two deposits whose notifications were lost, and a sweep that repairs. */
async function twoLost(): Promise<{ stage: Stage; sweep: Sweep }> {
  const stage = await Stage.start();
  const depositAddress = await stage.depositAddress();
  const webhookUrl = await stage.webhookUrl();
  const sweep = stage.newSweep({ subscription: { webhookUrl, vaults: 'all' } });
  await stage.run(sweep);
  stage.loses = () => true;
  await stage.paid(depositAddress, 700, 3);
  await stage.paid(depositAddress, 701, 3);
  await stage.caller.advance(GRACE_MS);
  return { stage, sweep };
}

async function credited({ stage, sweep }: Awaited<ReturnType<typeof twoLost>>): Promise<string[]> {
  for (let run = 0; run < 5; run += 1) {
    await stage.caller.advance(60_000);
    await stage.run(sweep);
  }
  return stage.open.feedLines().toSorted();
}

test('deposits are backfilled while the API answers 500 for their lists of notifications', async () => {
  const { stage, sweep } = await twoLost();
  await stage.faults({ fault: 'error', errorCode: 'GE-1', operation: 'listNotifications' });
  expect(await credited({ stage, sweep })).toEqual(['credit 700', 'credit 701']);
});

test.each([
  { kind: 'timeout', timeoutMs: 10_000 },
  { kind: 'server-error', status: 500 },
] as const)('deposits are backfilled while replays end with a $kind', async (cause) => {
  const { stage, sweep } = await twoLost();
  vi.spyOn(stage.client.subscriptions, 'replay').mockResolvedValue({ kind: 'unavailable', cause });
  expect(await credited({ stage, sweep })).toEqual(['credit 700', 'credit 701']);
});
