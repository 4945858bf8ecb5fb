import { expect, test } from 'vitest';
import type { Sweep } from '../../../src/reconcile/sweep/sweep.ts';
import { GRACE_MS, Stage, type DepositAddress, type Webhook } from '../stage.ts';

const FUNDS = '900000000000000000';
/** Minutes within which a long outage is repaired; it takes some five. */
const RUNS_MAX = 15;
const OUTSIDE = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';

/** A stage whose sweep repairs, with a vault that is credited and can pay. */
async function repairing(): Promise<{
  stage: Stage;
  depositAddress: DepositAddress;
  sweep: Sweep;
}> {
  const stage = await Stage.start();
  const depositAddress = await stage.depositAddress();
  await stage.paid(depositAddress, FUNDS, 3);
  const webhookUrl = await stage.webhookUrl();
  const sweep = stage.newSweep({ subscription: { webhookUrl, vaults: 'all' } });
  await stage.run(sweep);
  expect(stage.open.feedLines()).toEqual([`credit ${FUNDS}`]);
  return { stage, depositAddress, sweep };
}

async function minuteLater(stage: Stage, sweep: Sweep): Promise<void> {
  await stage.caller.advance(60_000);
  await stage.run(sweep);
}

/** Causes of the entries of a hash, in order. */
function causes(stage: Stage, hash: string): string[] {
  return stage.open
    .rows<{ cause: string }>(
      "SELECT cause FROM entries WHERE view = 'books' AND blockchain_hash = ? ORDER BY entry_id",
      hash,
    )
    .map(({ cause }) => cause);
}

test('a deposit without notifications is replayed, verified and credited', async () => {
  const { stage, depositAddress, sweep } = await repairing();
  stage.loses = () => true;
  const hash = await stage.paid(depositAddress, 700, 3);
  stage.loses = () => false;
  await stage.caller.advance(GRACE_MS);
  await stage.run(sweep);
  expect(await stage.depositState(hash)).toBe('verifying');
  await minuteLater(stage, sweep);
  expect(await stage.depositState(hash)).toBe('credited');
  expect(stage.open.openBreaks()).toEqual([]);
  expect(stage.factsSince(0).filter((kind) => kind === 'notification').length).toBeGreaterThan(0);
});

test('a deposit that a replay does not bring is backfilled in the next run, and counts once', async () => {
  const { stage, depositAddress, sweep } = await repairing();
  stage.loses = () => true;
  const hash = await stage.paid(depositAddress, 700, 3);
  await stage.caller.advance(GRACE_MS);
  await stage.run(sweep);
  expect(await stage.deposits(hash)).toEqual([]);
  await minuteLater(stage, sweep);
  await minuteLater(stage, sweep);
  expect(await stage.depositState(hash)).toBe('credited');
  const booked = stage.open.positions();
  const posted = causes(stage, hash);
  expect(posted).toHaveLength(1);
  await stage.deliverLost();
  await minuteLater(stage, sweep);
  expect(stage.open.positions()).toEqual(booked);
  expect(causes(stage, hash)).toEqual(posted);
  expect(stage.open.feedLines()).toEqual([`credit ${FUNDS}`, 'credit 700']);
  expect(stage.open.openBreaks()).toEqual([]);
});

test('a withdrawal whose notifications never come is backfilled, and counts once', async () => {
  const { stage, depositAddress, sweep } = await repairing();
  stage.loses = ({ stream }: Webhook) => stream === 'outgoing';
  await stage.order(depositAddress, OUTSIDE, '1000');
  await stage.mine(3);
  await stage.caller.advance(GRACE_MS);
  for (let run = 0; run < 4; run += 1) await minuteLater(stage, sweep);
  expect(stage.open.openBreaks()).toEqual([]);
  expect(stage.open.positions()).toEqual(stage.open.positions('chain'));
  await stage.deliverLost();
  await minuteLater(stage, sweep);
  expect(stage.open.positions()).toEqual(stage.open.positions('chain'));
  expect(stage.open.openBreaks()).toEqual([]);
});

test('a rollback that never comes after a credit is backfilled and reversed once', async () => {
  const { stage, depositAddress, sweep } = await repairing();
  const hash = await stage.paid(depositAddress, 700, 3);
  await minuteLater(stage, sweep);
  stage.loses = ({ type }: Webhook) => type === 'rollback';
  await stage.reorg(3, [hash]);
  await stage.caller.advance(GRACE_MS);
  for (let run = 0; run < 4; run += 1) await minuteLater(stage, sweep);
  expect(stage.open.feedLines()).toEqual([`credit ${FUNDS}`, 'credit 700', 'reversal 700']);
  expect(await stage.depositState(hash)).toBe('reversed');
  await stage.deliverLost();
  await minuteLater(stage, sweep);
  expect(stage.open.feedLines()).toHaveLength(3);
  expect(stage.open.openBreaks()).toEqual(['reversal_after_credit']);
});

test('a deposit mined again whose confirmations never come is repaired and credited', async () => {
  const { stage, depositAddress, sweep } = await repairing();
  const hash = await stage.paid(depositAddress, 700, 1);
  await stage.reorg(1, []);
  expect(await stage.depositState(hash)).toBe('rolled_back');
  stage.loses = () => true;
  await stage.mine(3);
  await minuteLater(stage, sweep);
  await stage.caller.advance(GRACE_MS);
  for (let run = 0; run < 4; run += 1) await minuteLater(stage, sweep);
  expect(await stage.depositState(hash)).toBe('credited');
  expect(stage.open.openBreaks()).toEqual([]);
});

test('own transfers that are backfilled are internal and never credited', async () => {
  const { stage, depositAddress, sweep } = await repairing();
  const to = await stage.depositAddress();
  stage.loses = () => true;
  await stage.order(depositAddress, to.networkAddress, '1000');
  await stage.mine(3);
  await stage.caller.advance(GRACE_MS);
  for (let run = 0; run < 4; run += 1) await minuteLater(stage, sweep);
  expect(stage.open.feedLines()).toEqual([`credit ${FUNDS}`]);
  const states = (await stage.deposits()).map(({ state }) => state).toSorted();
  expect(states).toEqual(['credited', 'internal']);
});

test('a long outage is repaired to its last deposit, although the list is busy since', async () => {
  const { stage, depositAddress, sweep } = await repairing();
  const many = await stage.depositAddress('ripple');
  stage.loses = () => true;
  const outputs = Array.from({ length: 400 }, (_, number) => ({
    addressId: many.addressId,
    asset: 'ripple:XRP',
    amount: String(1_000_000 + number),
    memo: String(number),
  }));
  await stage.caller.sim('POST', '/sim/deposits', { network: 'ripple', outputs });
  await stage.mine(1, 'ripple');
  await stage.caller.advance(GRACE_MS);
  stage.loses = ({ network }: Webhook) => network === 'ripple';
  const missing = () =>
    stage.open.openBreaks().filter((type) => type === 'missing_notification').length;
  await minuteLater(stage, sweep);
  expect(missing()).toBeGreaterThan(300);
  for (let run = 0; run < RUNS_MAX && missing() > 0; run += 1) {
    await stage.pay(depositAddress, 5);
    await minuteLater(stage, sweep);
  }
  expect(missing()).toBe(0);
});

test('runs with nothing to repair journal only themselves, for hours', async () => {
  const { stage, sweep } = await repairing();
  await minuteLater(stage, sweep);
  const head = stage.open.journalLength();
  for (let run = 0; run < 5; run += 1) {
    await stage.caller.advance(3_600_000);
    await stage.run(sweep);
  }
  expect(stage.factsSince(head)).toHaveLength(5);
});

test('a subscription that was changed is drift, without the path token, and heals', async () => {
  const { stage, depositAddress, sweep } = await repairing();
  const webhookUrl = 'http://127.0.0.1:9/hooks/elsewhere-and-secret';
  await stage.api('POST', `/subscriptions/${depositAddress.vaultId}`, {
    webhookUrl,
    streams: ['incoming'],
  });
  await stage.caller.advance(3_600_000);
  await stage.run(sweep);
  expect(stage.open.openBreaks()).toEqual(['subscription_drift']);
  expect(stage.open.openBreak('subscription_drift').detail).not.toContain('secret');
  const streams = ['outgoing', 'incoming', 'blockchain'];
  const wanted = { webhookUrl: await stage.webhookUrl(), streams };
  await stage.api('POST', `/subscriptions/${depositAddress.vaultId}`, wanted);
  await stage.caller.advance(3_600_000);
  await stage.run(sweep);
  expect(stage.open.openBreaks()).toEqual([]);
});
