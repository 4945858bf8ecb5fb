import { expect, test, vi } from 'vitest';
import type { Sweep } from '../../../src/reconcile/sweep/sweep.ts';
import { GRACE_MS, Stage, type DepositAddress } from '../stage.ts';

const MINUTE = 60_000;

/** A vault whose webhooks we cannot take for a while. */
async function unreachable(): Promise<{
  stage: Stage;
  depositAddress: DepositAddress;
  sweep: Sweep;
}> {
  const stage = await Stage.start();
  const depositAddress = await stage.depositAddress();
  const webhookUrl = await stage.webhookUrl();
  const sweep = stage.newSweep({ subscription: { webhookUrl, vaults: 'all' } });
  await stage.run(sweep);
  stage.loses = () => {
    throw new Error('the receiver is down');
  };
  return { stage, depositAddress, sweep };
}

async function minuteLater(stage: Stage, sweep: Sweep): Promise<void> {
  await stage.caller.advance(MINUTE);
  await stage.run(sweep);
}

test('notifications that wait at the custody service are a break until they are delivered', async () => {
  const { stage, depositAddress, sweep } = await unreachable();
  const hash = await stage.paid(depositAddress, 700, 3);
  await stage.run(sweep);
  expect(stage.open.openBreaks()).toEqual([]);
  await stage.caller.advance(GRACE_MS);
  await stage.run(sweep);
  const { id, ...found } = stage.open.openBreak('delivery_backlog');
  expect(found).toMatchObject({
    key: JSON.stringify(['delivery_backlog', depositAddress.vaultId]),
    severity: 'warning',
    vault_id: depositAddress.vaultId,
  });
  expect(found.detail).toContain('notifications have waited at the custody service since');
  // Booked from the API meanwhile; what waits is still a break, and the same one.
  await minuteLater(stage, sweep);
  await minuteLater(stage, sweep);
  expect(await stage.depositState(hash)).toBe('credited');
  expect(stage.open.openBreak('delivery_backlog')).toMatchObject({ id, detail: found.detail });
  stage.loses = () => false;
  await minuteLater(stage, sweep);
  await minuteLater(stage, sweep);
  await minuteLater(stage, sweep);
  expect(stage.open.openBreaks()).toEqual([]);
  expect(stage.open.breaks().filter(({ type }) => type === 'delivery_backlog')).toMatchObject([
    { break_id: id, resolved_by: 'reconciler', resolution: 'what waited has been delivered' },
  ]);
});

test('delivered and lost notifications are no backlog', async () => {
  const { stage, depositAddress, sweep } = await unreachable();
  stage.loses = () => true;
  await stage.paid(depositAddress, 700, 3);
  await stage.caller.advance(GRACE_MS);
  await stage.run(sweep);
  expect(stage.open.breaks().map(({ type }) => type)).not.toContain('delivery_backlog');
});

test('an API that does not answer neither opens nor heals one', async () => {
  const { stage, depositAddress, sweep } = await unreachable();
  await stage.paid(depositAddress, 700, 3);
  await stage.caller.advance(GRACE_MS);
  await stage.run(sweep);
  stage.loses = () => false;
  await stage.caller.advance(MINUTE);
  await stage.faults({ fault: 'error', errorCode: 'GE-1', operation: 'listNotifications' });
  await stage.run(sweep);
  expect(stage.open.openBreaks()).toContain('delivery_backlog');
});

test('a new backlog is reported, although the API does not answer for another open one', async () => {
  const { stage, depositAddress, sweep } = await unreachable();
  await stage.paid(depositAddress, 700, 3);
  await stage.caller.advance(GRACE_MS);
  await stage.run(sweep);
  await minuteLater(stage, sweep);
  const other = await stage.depositAddress();
  await stage.paid(other, 900, 3);
  await stage.caller.advance(GRACE_MS);
  const { subscriptions } = stage.client;
  const ask = subscriptions.notifications.bind(subscriptions);
  vi.spyOn(subscriptions, 'notifications')
    .mockImplementationOnce(ask)
    .mockResolvedValue({ kind: 'rate-budget', retryAtMs: 0 });
  await stage.run(sweep);
  const backlogs = stage.open.breaks().filter(({ type }) => type === 'delivery_backlog');
  expect(new Set(backlogs.map((one) => one.vault_id))).toEqual(
    new Set([depositAddress.vaultId, other.vaultId]),
  );
});
