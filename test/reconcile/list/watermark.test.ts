import { expect, test } from 'vitest';
import { GRACE_MS, Stage } from '../stage.ts';

const DAY_MS = 86_400_000;

/** Amounts of the missing notifications that breaks report. */
function missingAmounts(stage: Stage): readonly (string | null)[] {
  const missing = stage.open.breaks().filter(({ type }) => type === 'missing_notification');
  return missing.map(({ expected }) => expected);
}

/** A deposit of 700 is two days old, its webhooks are lost, and no run has read it. */
async function outageOfTwoDays() {
  const stage = await Stage.start();
  const depositAddress = await stage.depositAddress();
  await stage.run();
  stage.loses = () => true;
  await stage.paid(depositAddress, 700, 3);
  await stage.caller.advance(2 * DAY_MS);
  return { stage, depositAddress };
}

test('the first run reads everything, later ones what has changed since', async () => {
  const stage = await Stage.start();
  const depositAddress = await stage.depositAddress();
  const old = await stage.paid(depositAddress, 700, 3);
  const first = await stage.run();
  expect(first.watermark).toBe(stage.now - 1_000);
  expect(await stage.depositState(old)).toBe('credited');
  await stage.caller.advance(3 * GRACE_MS);
  const hash = await stage.paid(await stage.depositAddress(), 5, 3);
  const second = await stage.run();
  expect(second.watermark).toBeGreaterThan(first.watermark ?? Infinity);
  expect(await stage.depositState(hash)).toBe('credited');
});

test('an incomplete run does not move the watermark', async () => {
  const stage = await Stage.start();
  const depositAddress = await stage.depositAddress();
  await stage.paid(depositAddress, 700, 3);
  const { watermark } = await stage.run();
  await stage.paid(depositAddress, 800, 3);
  await stage.faults({ fault: 'error' });
  expect(await stage.run()).toMatchObject({ watermark: null });
  expect(await stage.reads.custodyWatermark()).toBe(watermark);
});

test('changes during an outage of the API are read when it is back, after any time', async () => {
  const stage = await Stage.start();
  const depositAddress = await stage.depositAddress();
  await stage.paid(depositAddress, 700, 3);
  await stage.run();
  stage.loses = () => true;
  const hash = await stage.paid(depositAddress, 800, 3);
  await stage.faults({ fault: 'error' });
  for (let round = 1; round <= 3; round += 1) {
    await stage.caller.advance(2 * GRACE_MS);
    await stage.run();
  }
  expect(stage.open.openBreaks()).toEqual([]);
  await stage.faults();
  await stage.caller.advance(61_000);
  await stage.run();
  expect(stage.open.openBreak('missing_notification').blockchain_hash).toBe(hash);
});

test('when the API fails in the first run, the next run reads the whole history', async () => {
  const stage = await Stage.start();
  const depositAddress = await stage.depositAddress();
  stage.loses = () => true;
  const hash = await stage.paid(depositAddress, 800, 3);
  await stage.caller.advance(2 * DAY_MS);
  await stage.faults({ fault: 'error' });
  expect(await stage.run()).toMatchObject({ watermark: null });
  await stage.faults();
  await stage.caller.advance(61_000);
  await stage.run();
  expect(stage.open.openBreak('missing_notification').blockchain_hash).toBe(hash);
});

test('an empty list has no watermark, and is complete', async () => {
  const stage = await Stage.start();
  expect(await stage.run()).toMatchObject({ watermark: null, incomplete: null, broken: 0 });
});

test('a restart goes on from the stored watermark', async () => {
  const stage = await Stage.start();
  const depositAddress = await stage.depositAddress();
  await stage.paid(depositAddress, 700, 3);
  const { watermark } = await stage.run();
  const again = await stage.run(stage.newSweep());
  expect(again).toMatchObject({ watermark, incomplete: null });
});

test('a row that the first reading after an outage shows without balance changes is read again', async () => {
  const { stage, depositAddress } = await outageOfTwoDays();
  await stage.paid(depositAddress, 5, 3);
  await stage.caller.advance(2 * GRACE_MS);
  await stage.faults({ fault: 'omit-balance-changes' });
  await stage.run();
  await stage.caller.advance(61_000);
  await stage.run();
  await stage.faults();
  await stage.caller.advance(61_000);
  await stage.run();
  expect(missingAmounts(stage)).toEqual(['5', '700']);
});

test('a row whose balance changes never come is given up after the grace period, or when it is a day old', async () => {
  const { stage, depositAddress } = await outageOfTwoDays();
  await stage.faults({ fault: 'omit-balance-changes' });
  const { watermark } = await stage.run();
  await stage.caller.advance(GRACE_MS + 61_000);
  await stage.pay(depositAddress, 5);
  const later = await stage.run();
  expect(later.watermark).toBeGreaterThan((watermark ?? Infinity) + DAY_MS);
});

test('a row whose balance changes came late is compared, also when newer rows came first', async () => {
  const stage = await Stage.start();
  const depositAddress = await stage.depositAddress();
  stage.loses = () => true;
  await stage.paid(depositAddress, 700, 3);
  await stage.faults({ fault: 'omit-balance-changes' });
  for (let round = 1; round <= 3; round += 1) {
    await stage.caller.advance(2 * GRACE_MS);
    await stage.paid(depositAddress, 5, 1);
    const run = await stage.run();
    expect(run.skipped['balance_changes_pending']).toBeGreaterThanOrEqual(1);
  }
  await stage.faults();
  await stage.run();
  expect(missingAmounts(stage).filter((amount) => amount === '700')).toHaveLength(1);
});
