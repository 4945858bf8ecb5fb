import { expect, test } from 'vitest';
import { showsOtherwise } from '../shown-otherwise.ts';
import { startVerifying } from './verifying-stage.ts';

const DAY = 86_400_000;

test('a row that the API shows once with a time of tomorrow does not keep its deposit from its credit', async () => {
  const { stage, sweep, rounds } = await startVerifying();
  const clock = { aheadMs: DAY };
  showsOtherwise(stage, (row) => ({
    ...row,
    updatedAt: new Date(Date.parse(row.updatedAt) + clock.aheadMs).toISOString(),
  }));
  const depositAddress = await stage.depositAddress();
  await stage.paid(depositAddress, 700, 1);
  await stage.run(sweep);
  clock.aheadMs = 0;
  await stage.mine(2);
  await rounds(60_000);
  await stage.run(sweep);
  await stage.run(sweep);
  expect(stage.open.feedLines()).toEqual(['credit 700']);
  expect(stage.open.openBreaks()).toEqual([]);
});
