import { expect, test, vi } from 'vitest';
import type { RunRepairs } from '../../../src/domain/fact/custody-record.ts';
import type { Sweep } from '../../../src/reconcile/sweep/sweep.ts';
import { PublishedNetworks } from '../../../src/reconcile/watching/published-networks.ts';
import type { ReconciliationRow } from '../../../src/store/records.ts';
import { GRACE_MS, Stage, type DepositAddress, type Webhook } from '../stage.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
const STREAMS = ['outgoing', 'incoming', 'blockchain'];

interface Watched {
  readonly stage: Stage;
  readonly depositAddresses: readonly DepositAddress[];
  readonly sweep: Sweep;
}

/** Vaults that are subscribed as wanted, with a sweep that mends. */
async function watched(vaults: number): Promise<Watched> {
  const stage = await Stage.start();
  const depositAddresses: DepositAddress[] = [];
  for (let count = 0; count < vaults; count += 1)
    depositAddresses.push(await stage.depositAddress());
  const sweep = await mendingSweep(stage);
  await stage.run(sweep);
  return { stage, depositAddresses, sweep };
}

async function mendingSweep(stage: Stage): Promise<Sweep> {
  const webhookUrl = await stage.webhookUrl();
  return stage.newSweep({ subscription: { webhookUrl, vaults: 'all' } });
}

async function minuteLater(stage: Stage, sweep: Sweep): Promise<ReconciliationRow> {
  await stage.caller.advance(MINUTE);
  return stage.run(sweep);
}

/** Deliveries of these vaults come back with 500, and wait at the custody service. */
function refuse(stage: Stage, depositAddresses: readonly DepositAddress[]): void {
  const refused = new Set(depositAddresses.map(({ vaultId }) => vaultId));
  stage.answersLost = 500;
  stage.loses = ({ vaultId }: Webhook) => refused.has(vaultId);
}

/** Vaults whose deliveries wait, with an open break each. */
async function backlogs(vaults: number): Promise<Watched> {
  const all = await watched(vaults);
  refuse(all.stage, all.depositAddresses);
  for (const [index, depositAddress] of all.depositAddresses.entries())
    await all.stage.paid(depositAddress, 700 + index, 3);
  await all.stage.caller.advance(GRACE_MS);
  await all.stage.run(all.sweep);
  return all;
}

function vaultsWith(stage: Stage, type: string): Set<string | null> {
  const open = stage.open.breaks().filter((one) => one.type === type && one.state === 'open');
  return new Set(open.map((one) => one.vault_id));
}

function asked(stage: Stage, ...operations: readonly string[]): number {
  return stage.attempts.filter(({ operation }) => operations.includes(operation)).length;
}

async function subscribe(
  stage: Stage,
  depositAddress: DepositAddress,
  webhookUrl: string,
): Promise<void> {
  await stage.api('POST', `/subscriptions/${depositAddress.vaultId}`, {
    webhookUrl,
    streams: STREAMS,
  });
}

/** Vaults whose subscription was taken elsewhere, with an open break each. */
async function drifting(vaults: number): Promise<Watched> {
  const all = await watched(vaults);
  const { stage, depositAddresses, sweep } = all;
  for (const depositAddress of depositAddresses)
    await subscribe(stage, depositAddress, 'http://127.0.0.1:9/hooks/elsewhere');
  await stage.caller.advance(3_600_000);
  for (let run = 0; run < vaults; run += 1) await minuteLater(stage, sweep);
  expect(vaultsWith(stage, 'subscription_drift').size).toBe(vaults);
  return all;
}

test('the break of a fixed subscription heals in the next run', async () => {
  const { stage, depositAddresses, sweep } = await drifting(1);
  const [depositAddress] = depositAddresses;
  if (depositAddress === undefined) throw new Error('there is no vault');
  await minuteLater(stage, sweep);
  await subscribe(stage, depositAddress, await stage.webhookUrl());
  await minuteLater(stage, sweep);
  expect(stage.open.openBreaks()).toEqual([]);
});

test('the breaks of subscriptions fixed together heal together, also after a restart', async () => {
  const { stage, depositAddresses } = await drifting(5);
  for (const depositAddress of depositAddresses)
    await subscribe(stage, depositAddress, await stage.webhookUrl());
  await minuteLater(stage, await mendingSweep(stage));
  expect(stage.open.openBreaks()).toEqual([]);
});

test('a subscription that stays as it is costs a request a run, and no fact', async () => {
  const { stage, sweep } = await drifting(1);
  const head = stage.open.journalLength();
  stage.attempts.length = 0;
  for (let run = 0; run < 20; run += 1) await minuteLater(stage, sweep);
  expect(stage.factsSince(head)).toHaveLength(20);
  expect(asked(stage, 'subscriptions', 'confirmationOverrides')).toBeLessThanOrEqual(22);
});

test('an hour beside eight vaults that take nothing asks far below the hour’s requests', async () => {
  const { stage, sweep } = await backlogs(8);
  expect(vaultsWith(stage, 'delivery_backlog').size).toBe(8);
  stage.attempts.length = 0;
  for (let run = 0; run < 60; run += 1) await minuteLater(stage, sweep);
  expect(vaultsWith(stage, 'delivery_backlog').size).toBe(8);
  const repairs = asked(stage, 'notifications', 'pullRetriesForward', 'replay');
  expect(repairs).toBeLessThanOrEqual(280);
  // Addresses are still checked for unreported movements.
  expect(asked(stage, 'addressTransactions')).toBeGreaterThan(30);
});

test('a backlog that was delivered heals although seven others go on waiting', async () => {
  const { stage, depositAddresses, sweep } = await backlogs(8);
  for (let run = 0; run < 10; run += 1) await minuteLater(stage, sweep);
  for (const mended of [depositAddresses[7], depositAddresses[0]]) {
    if (mended === undefined) throw new Error('there is no such vault');
    refuse(
      stage,
      depositAddresses.filter(
        (depositAddress) =>
          vaultsWith(stage, 'delivery_backlog').has(depositAddress.vaultId) &&
          depositAddress !== mended,
      ),
    );
    for (let run = 0; run < 12; run += 1) await minuteLater(stage, sweep);
    expect(vaultsWith(stage, 'delivery_backlog')).not.toContain(mended.vaultId);
  }
  expect(vaultsWith(stage, 'delivery_backlog').size).toBe(6);
});

/** A transaction of which the custody service lists many delivered notifications. */
async function manyDelivered(result: { delivered: boolean }): Promise<{
  stage: Stage;
  sweep: Sweep;
  replayed: string[];
}> {
  const { stage, depositAddresses, sweep } = await watched(1);
  stage.loses = () => true;
  for (const depositAddress of depositAddresses) await stage.paid(depositAddress, 700, 3);
  await stage.caller.advance(GRACE_MS);
  const { subscriptions } = stage.client;
  const replayed: string[] = [];
  vi.spyOn(subscriptions, 'notifications').mockResolvedValue({
    kind: 'ok',
    value: Array.from({ length: 1_000 }, (_, index) => ({
      id: `never-heard-${index}`,
      timestamp: index,
      stream: 'incoming',
      type: 'confirmation',
      status: 'delivered',
    })),
  });
  vi.spyOn(subscriptions, 'replay').mockImplementation(({ notificationId }) => {
    replayed.push(notificationId);
    return Promise.resolve({ kind: 'ok', value: { deliveryId: notificationId, ...result } });
  });
  return { stage, sweep, replayed };
}

test('the newest ten of a transaction’s thousand notifications are replayed, in their order', async () => {
  const { stage, sweep, replayed } = await manyDelivered({ delivered: true });
  const { repairs } = await stage.run(sweep);
  expect(replayed).toEqual(Array.from({ length: 10 }, (_, index) => `never-heard-${990 + index}`));
  expect(repairs).toMatchObject({ replayed: 10, backfilled: 0 });
});

test('a replay that our intake does not take ends the replays of its transaction', async () => {
  const { stage, sweep, replayed } = await manyDelivered({ delivered: false });
  const { repairs } = await stage.run(sweep);
  expect(replayed).toHaveLength(1);
  expect(repairs.replayed).toBe(0);
  const next = await minuteLater(stage, sweep);
  expect(replayed).toHaveLength(1);
  expect(next.repairs.backfilled).toBe(1);
});

test('a notification that has reached us is not replayed', async () => {
  const { stage, depositAddresses, sweep } = await watched(1);
  stage.loses = ({ type }: Webhook) => type === 'confirmation' || type === 'transaction';
  for (const depositAddress of depositAddresses) await stage.paid(depositAddress, 700, 3);
  stage.loses = () => false;
  await stage.caller.advance(GRACE_MS);
  const before = [...stage.heard.keys()];
  const replay = vi.spyOn(stage.client.subscriptions, 'replay');
  await stage.run(sweep);
  const known = new Set(before.filter((id) => !stage.lost.some((webhook) => webhook.id === id)));
  const sent = replay.mock.calls.map(([{ notificationId }]) => notificationId);
  expect(known.size).toBeGreaterThan(0);
  expect(sent.length).toBeGreaterThan(0);
  expect(sent.filter((id) => known.has(id))).toEqual([]);
});

test('an empty budget stops repairs, and the waiting transactions are counted', async () => {
  const { stage, depositAddresses, sweep } = await watched(1);
  stage.loses = () => true;
  for (const depositAddress of depositAddresses) await stage.paid(depositAddress, 700, 3);
  await stage.caller.advance(GRACE_MS);
  vi.spyOn(stage.client, 'room').mockReturnValue(0);
  stage.attempts.length = 0;
  const run = await stage.run(sweep);
  expect(asked(stage, 'notifications', 'replay')).toBe(0);
  expect(run.skipped).toMatchObject({ rate_budget: 2 });
});

test('an empty budget stops checks of vaults, and the run does not wait', async () => {
  const { stage, sweep } = await drifting(1);
  await stage.caller.advance(3_600_000);
  vi.spyOn(stage.client, 'room').mockReturnValue(0);
  stage.attempts.length = 0;
  const before = stage.now;
  const run = await stage.run(sweep);
  expect(asked(stage, 'subscriptions', 'confirmationOverrides', 'vaults', 'networks')).toBe(0);
  expect(stage.now).toBe(before);
  // Once as a vault with a problem, and once as the next vault of the round.
  expect(run.skipped).toMatchObject({ rate_budget: 2 });
});

test('many missed transactions are repaired over several runs, each within its requests', async () => {
  const { stage, depositAddresses, sweep } = await watched(9);
  stage.loses = () => true;
  for (const depositAddress of depositAddresses)
    for (let count = 0; count < 2; count += 1) await stage.paid(depositAddress, 700 + count, 12);
  stage.loses = () => false;
  await stage.caller.advance(GRACE_MS);
  const total = { replayed: 0, pulledForward: 0, backfilled: 0 };
  for (let run = 0; run < 5; run += 1) {
    stage.attempts.length = 0;
    const { repairs } = await minuteLater(stage, sweep);
    for (const kind of Object.keys(total) as (keyof RunRepairs)[]) total[kind] += repairs[kind];
    expect(asked(stage, 'notifications', 'pullRetriesForward', 'replay')).toBeLessThanOrEqual(50);
  }
  expect(total.replayed).toBeGreaterThan(0);
  expect(total.backfilled).toBeGreaterThan(0);
  expect(stage.open.openBreaks().filter((type) => type === 'missing_notification')).toEqual([]);
});

test('a run reports a loss that its replay repaired', async () => {
  const { stage, depositAddresses, sweep } = await watched(1);
  stage.loses = () => true;
  for (const depositAddress of depositAddresses) await stage.paid(depositAddress, 700, 3);
  const { size } = stage.heard;
  stage.loses = () => false;
  await stage.caller.advance(GRACE_MS);
  const { repairs } = await stage.run(sweep);
  expect(repairs).toEqual({ replayed: size, pulledForward: 0, backfilled: 0 });
  expect((await minuteLater(stage, sweep)).repairs).toEqual({
    replayed: 0,
    pulledForward: 0,
    backfilled: 0,
  });
  expect(stage.open.openBreaks()).toEqual([]);
});

test('a run reports what it pulled forward, and the next run what it backfilled', async () => {
  const { stage, depositAddresses, sweep } = await watched(1);
  refuse(stage, depositAddresses);
  for (const depositAddress of depositAddresses) await stage.paid(depositAddress, 700, 3);
  await stage.caller.advance(GRACE_MS);
  expect((await stage.run(sweep)).repairs).toMatchObject({ pulledForward: 1, backfilled: 0 });
  expect((await minuteLater(stage, sweep)).repairs).toMatchObject({ backfilled: 1 });
});

test('a restart repairs notifications that were missed more than a day ago', async () => {
  const { stage, depositAddresses, sweep } = await watched(1);
  stage.loses = () => true;
  for (const depositAddress of depositAddresses) await stage.paid(depositAddress, 700, 3);
  await stage.caller.advance(GRACE_MS);
  const { subscriptions } = stage.client;
  const nothing = { kind: 'rate-budget', retryAtMs: 0 } as const;
  const spy = vi.spyOn(subscriptions, 'notifications').mockResolvedValue(nothing);
  // The round over all addresses comes there only after days.
  vi.spyOn(stage.client, 'addressTransactions').mockResolvedValue(nothing);
  await stage.run(sweep);
  expect(stage.open.openBreaks()).toContain('missing_notification');
  await stage.caller.advance(2 * DAY);
  // Something newer, so that the list is not read down to it any more.
  for (const depositAddress of depositAddresses) await stage.paid(depositAddress, 5, 3);
  stage.loses = () => false;
  await stage.deliver({ ...stage.lost.at(-1) });
  await stage.run(sweep);
  spy.mockRestore();
  const restarted = await mendingSweep(stage);
  for (let run = 0; run < 4; run += 1) await minuteLater(stage, restarted);
  expect(stage.open.openBreaks()).not.toContain('missing_notification');
});

test('a failing list of networks is requested at growing intervals, with any number of callers', async () => {
  const stage = await Stage.start();
  const networks = new PublishedNetworks({ custody: stage.client, now: () => stage.now });
  await stage.faults({ fault: 'error', errorCode: 'GE-1', operation: 'listNetworks' });
  const read = () => networks.read({ priority: 'inactive', deadlineMs: stage.now + MINUTE });
  let requests = 0;
  for (let minute = 0; minute < 60; minute += 1) {
    for (const one of await Promise.all([read(), read(), read()])) requests += one.requests;
    await stage.caller.advance(MINUTE);
  }
  expect(requests).toBeLessThanOrEqual(10);
  await stage.faults();
  await stage.caller.advance(600_000);
  expect((await read()).networks).not.toBeNull();
});
