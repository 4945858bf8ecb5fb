import { expect, test } from 'vitest';
import { showsOtherwise } from '../shown-otherwise.ts';
import { GRACE_MS, Stage } from '../stage.ts';
import { startVerifying } from '../verifying/verifying-stage.ts';

/** From now on the custody API shows a failed transaction as this status says, as of now. */
function shownAs(stage: Stage, status: () => string): void {
  let [last, updatedAt] = ['', ''];
  showsOtherwise(stage, (row) => {
    if (row.type !== 'incoming') return row;
    if (last !== status()) [last, updatedAt] = [status(), new Date(stage.now).toISOString()];
    return { ...row, status: last, updatedAt };
  });
}

test.each(['failed', 'frozen'])(
  'a credited deposit that the API calls %s is a critical mismatch after the grace period, and no more when it is confirmed again',
  async (unknown) => {
    const { stage, rounds, sweep } = await startVerifying();
    const hash = await stage.paid(await stage.depositAddress(), 700, 3);
    await rounds();
    expect(stage.open.feedLines()).toEqual(['credit 700']);
    let status = unknown;
    shownAs(stage, () => status);
    expect((await stage.run(sweep)).skipped).toEqual({ unknown_status: 1 });
    expect(stage.open.openBreaks()).toEqual([]);
    await stage.caller.advance(GRACE_MS);
    await stage.run(sweep);
    const [deposit] = await stage.deposits(hash);
    expect(stage.open.openBreak('status_mismatch')).toMatchObject({
      severity: 'critical',
      deposit_id: deposit?.depositId,
      detail: `the custody API says ${unknown}, the notifications say confirmed`,
    });
    await stage.run(sweep);
    expect(stage.open.openBreaks()).toEqual(['status_mismatch']);
    expect(stage.open.feedLines()).toEqual(['credit 700']);
    status = 'confirmed';
    await stage.run(sweep);
    expect(stage.open.openBreaks()).toEqual([]);
    expect(stage.open.feedLines()).toEqual(['credit 700']);
  },
);

test('a deposit that is not credited and that the API calls failed waits, and is stale with age', async () => {
  const stage = await Stage.start();
  const hash = await stage.paid(await stage.depositAddress(), 700, 3);
  shownAs(stage, () => 'failed');
  await stage.caller.advance(GRACE_MS);
  expect((await stage.run()).skipped).toEqual({ unknown_status: 1 });
  expect(stage.open.openBreaks()).toEqual([]);
  expect(await stage.depositState(hash)).toBe('verifying');
});

test('a transfer between own vaults that arrived and that the API calls failed is a mismatch after the grace period, and no more when it is confirmed again', async () => {
  const stage = await Stage.start();
  const [from, to] = [await stage.depositAddress(), await stage.depositAddress()];
  await stage.paid(from, '900000000000000000', 30);
  await stage.run();
  await stage.order(from, to.networkAddress, '1000');
  await stage.mine(3);
  await stage.run();
  const isInternal = ({ state }: { state: string }): boolean => state === 'internal';
  expect((await stage.deposits()).filter(isInternal)).toHaveLength(1);
  const last = { status: 'confirmed' };
  let since = '';
  showsOtherwise(stage, (row) =>
    row.vaultId === to.vaultId && since !== ''
      ? { ...row, status: last.status, updatedAt: since }
      : row,
  );
  [last.status, since] = ['failed', new Date(stage.now).toISOString()];
  await stage.run();
  expect(stage.open.openBreaks()).toEqual([]);
  await stage.caller.advance(GRACE_MS);
  await stage.run();
  const [deposit] = (await stage.deposits()).filter(isInternal);
  expect(stage.open.openBreak('status_mismatch')).toMatchObject({
    severity: 'warning',
    deposit_id: deposit?.depositId,
    detail: 'the custody API says failed, the notifications say confirmed',
  });
  [last.status, since] = ['confirmed', new Date(stage.now).toISOString()];
  await stage.run();
  expect(stage.open.openBreaks()).toEqual([]);
});
