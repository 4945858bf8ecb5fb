import { expect, test } from 'vitest';
import { forgedConfirmation, GRACE_MS, Stage, THREE_DEEP, type DepositAddress } from '../stage.ts';

let issued = 0;

function forged(depositAddress: DepositAddress, transactionId: string): object {
  issued += 1;
  return forgedConfirmation(depositAddress, {
    id: `forged-${issued}`,
    blockchainHash: `0x${issued}`,
    transactionId,
    balanceChanges: [{ asset: 'ethereum:ETH', amount: '7', tags: [] }],
  });
}

/** Look-ups of single transactions since the last call. */
function lookUps(stage: Stage): number {
  return stage.attempts.splice(0).filter(({ operation }) => operation === 'transaction').length;
}

/** A deposit twelve deep of fifty that the watermark has passed: only a look-up of its own shows it. */
async function passedByWatermark() {
  const policy = { ...THREE_DEEP, default: { confirmations: 50 } };
  const stage = await Stage.start({ policy });
  const depositAddress = await stage.depositAddress();
  const hash = await stage.paid(depositAddress, 700, 12);
  await stage.run();
  for (let round = 1; round <= 2; round += 1) {
    await stage.caller.advance(2 * GRACE_MS);
    await stage.paid(await stage.depositAddress(), 5, 1);
    await stage.run();
  }
  return { stage, depositAddress, hash };
}

test('a deposit older than the watermark is still verified, by a look-up of its own', async () => {
  const { stage, hash } = await passedByWatermark();
  expect(await stage.depositState(hash)).toBe('confirming');
  await stage.mine(36);
  await stage.caller.advance(3_600_000);
  lookUps(stage);
  await stage.run();
  expect(lookUps(stage)).toBeGreaterThanOrEqual(1);
  expect(await stage.depositState(hash)).toBe('credited');
});

test('a true deposit is verified although each minute brings more forged ones than a run looks up', async () => {
  const { stage, depositAddress, hash } = await passedByWatermark();
  await stage.mine(36);
  for (let minute = 1; minute <= 8; minute += 1) {
    await stage.caller.advance(60_000);
    for (let number = 0; number < 25; number += 1) {
      await stage.deliver(forged(depositAddress, `nobody-${minute}-${number}`));
    }
    await stage.run();
  }
  expect(await stage.depositState(hash)).toBe('credited');
});

test('a deposit that the API does not know is asked for at growing intervals, every second time by its id', async () => {
  const stage = await Stage.start();
  const depositAddress = await stage.depositAddress();
  await stage.deliver(forged(depositAddress, 'nobody'));
  const askedAt: number[] = [];
  const start = stage.now;
  for (let minute = 0; minute <= 125; minute += 1) {
    await stage.run();
    if (lookUps(stage) > 0) askedAt.push(Math.round((stage.now - start) / 60_000));
    await stage.caller.advance(60_000);
  }
  // At 1, 7, 31 and 123 its hash was asked for: the id may be made up.
  expect(askedAt).toEqual([0, 3, 15, 63]);
});

test('a run looks up no more than twenty, and says how many it postponed', async () => {
  const stage = await Stage.start();
  const depositAddress = await stage.depositAddress();
  for (let number = 0; number < 25; number += 1) {
    await stage.deliver(forged(depositAddress, `nobody-${number}`));
  }
  const first = await stage.run();
  expect(lookUps(stage)).toBe(20);
  expect(first).toMatchObject({ broken: 20, skipped: { rate_budget: 5 } });
  const second = await stage.run();
  expect(lookUps(stage)).toBe(5);
  expect(second).toMatchObject({ broken: 5 });
  expect(stage.open.openBreaks()).toHaveLength(25);
});

test('look-ups that keep failing do not starve the others', async () => {
  const stage = await Stage.start();
  const depositAddress = await stage.depositAddress();
  for (let number = 0; number < 40; number += 1) await stage.deliver(forged(depositAddress, '..'));
  await stage.deliver(forged(depositAddress, 'nobody'));
  await stage.run();
  await stage.run();
  await stage.run();
  expect(stage.open.openBreaks()).toEqual(['unknown_to_custody']);
});

test('look-ups are not tried further once the API is down', async () => {
  const stage = await Stage.start();
  const depositAddress = await stage.depositAddress();
  for (let number = 0; number < 10; number += 1) {
    await stage.deliver(forged(depositAddress, `nobody-${number}`));
  }
  await stage.faults({ fault: 'error', operation: 'GET /transactions/{id}' });
  const run = await stage.run();
  expect(lookUps(stage)).toBeLessThanOrEqual(3);
  const { api_unavailable: failed = 0, rate_budget: postponed = 0 } = run.skipped;
  expect(failed + postponed).toBe(10);
  expect(stage.open.openBreaks()).toEqual([]);
});

test('a deposit that a person holds is not looked up until it is released', async () => {
  const policy = { ...THREE_DEEP, default: { confirmations: 5 } };
  const stage = await Stage.start({ policy });
  const depositAddress = await stage.depositAddress();
  const hash = await stage.paid(depositAddress, 700, 3);
  const [deposit] = await stage.deposits(hash);
  if (deposit === undefined) throw new Error('no deposit');
  const { depositId } = deposit;
  await stage.open.decide({ kind: 'hold', depositId, reason: 'asking the sender' });
  await stage.mine(2);
  for (let round = 1; round <= 2; round += 1) {
    await stage.caller.advance(2 * GRACE_MS);
    await stage.paid(await stage.depositAddress(), 5, 1);
    await stage.run();
  }
  lookUps(stage);
  await stage.run();
  expect(await stage.depositState(hash)).toBe('held: operator_hold');
  await stage.open.decide({ kind: 'release', depositId, reason: 'known sender' });
  await stage.run();
  expect(await stage.depositState(hash)).toBe('credited');
});
