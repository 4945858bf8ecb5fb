import { expect, test } from 'vitest';
import { audit } from '../store/bookkeeping/audited.ts';
import { Stage, THREE_DEEP } from './stage.ts';

test('deposits from before the start are booked and held; later ones are credited', async () => {
  const stage = await Stage.start();
  const depositAddress = await stage.depositAddress();
  const subscription = { webhookUrl: await stage.webhookUrl(), vaults: 'all' } as const;
  stage.loses = () => true;
  await stage.paid(depositAddress, 700, 3);
  await stage.paid(depositAddress, 701, 3);
  await stage.caller.advance(86_400_000);
  stage.loses = () => false;
  await stage.open.setPolicy({ ...THREE_DEEP, startsAt: new Date(stage.now).toISOString() });
  const sweep = stage.newSweep({ subscription });
  for (let run = 0; run < 4; run += 1) {
    await stage.run(sweep);
    await stage.caller.advance(60_000);
  }
  expect((await stage.deposits()).map(({ reason }) => reason)).toEqual([
    'before_start',
    'before_start',
  ]);
  expect(await stage.reads.waitingDeposits()).toEqual([]);
  expect(await stage.reads.waitingDepositCount()).toBe(0);
  await stage.paid(depositAddress, 702, 3);
  await stage.run(sweep);
  expect(stage.open.feedLines()).toEqual(['credit 702']);
  expect(Object.values(stage.open.positions())).toEqual(['2103']);
  expect(stage.open.openBreaks()).toEqual([]);
  expect(audit(stage.open)).toEqual([]);
});
