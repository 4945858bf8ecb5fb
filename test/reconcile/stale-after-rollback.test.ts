import { expect, test } from 'vitest';
import { GRACE_MS, Stage } from './stage.ts';

/** A deposit of 700 units, mined again one deep after it was three deep and unverified. */
async function minedAnew(stage: Stage): Promise<string> {
  const hash = await stage.paid(await stage.depositAddress(), 700, 3);
  expect(await stage.depositState(hash)).toBe('verifying');
  await stage.api('GET', '/transactions?page=0&pageSize=100');
  await stage.caller.advance(60_000);
  await stage.reorg(3, []);
  await stage.mine(1);
  expect(await stage.depositState(hash)).toBe('confirming');
  return hash;
}

test('the API shows the row of before the rollback again: its depth credits nothing', async () => {
  const stage = await Stage.start();
  const hash = await minedAnew(stage);
  await stage.faults({ fault: 'stale' });
  expect((await stage.run()).skipped).toEqual({ custody_behind: 1 });
  await stage.faults();
  await stage.run();
  expect(await stage.depositState(hash)).toBe('confirming');
  await stage.mine(2);
  await stage.run();
  expect(stage.open.feedLines()).toEqual(['credit 700']);
  expect(stage.open.openBreaks()).toEqual([]);
});

test('mined again without webhooks, a deposit is credited by the API when the grace period of the rollback has ended', async () => {
  const stage = await Stage.start();
  const hash = await minedAnew(stage);
  stage.loses = ({ stream }) => stream === 'incoming';
  await stage.mine(2);
  await stage.run();
  expect(await stage.depositState(hash)).toBe('confirming');
  await stage.caller.advance(GRACE_MS);
  await stage.run();
  expect(stage.open.feedLines()).toEqual(['credit 700']);
});
