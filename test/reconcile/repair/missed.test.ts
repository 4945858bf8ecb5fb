import { expect, test } from 'vitest';
import { GRACE_MS, Stage, type DepositAddress, type Webhook } from '../stage.ts';

const FUNDS = '900000000000000000';
const OUTSIDE = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';

const all = (): boolean => true;
const confirmations = ({ stream, type }: Webhook): boolean =>
  stream === 'incoming' && type === 'confirmation';

async function started(): Promise<{ stage: Stage; depositAddress: DepositAddress }> {
  const stage = await Stage.start();
  return { stage, depositAddress: await stage.depositAddress() };
}

/** Something else goes on, so that the API's list has newer rows, and a run sees them. */
async function meanwhile(stage: Stage, ms: number): Promise<void> {
  const { loses } = stage;
  stage.loses = () => false;
  await stage.caller.advance(ms);
  await stage.paid(await stage.depositAddress(), 5, 1);
  stage.loses = loses;
  await stage.run();
}

test('a deposit without notifications is missing only after the grace period', async () => {
  const { stage, depositAddress } = await started();
  stage.loses = all;
  const hash = await stage.paid(depositAddress, 700, 3);
  const first = await stage.run();
  expect(first).toMatchObject({ broken: 0, skipped: { in_grace: 1 }, incomplete: null });
  expect(stage.open.openBreaks()).toEqual([]);
  await stage.caller.advance(GRACE_MS);
  await stage.run();
  expect(stage.open.openBreak('missing_notification')).toMatchObject({
    blockchain_hash: hash,
    expected: '700',
    actual: '0',
    vault_id: depositAddress.vaultId,
  });
});

test('a missed transaction is found although other transactions are newer', async () => {
  const { stage, depositAddress } = await started();
  stage.loses = all;
  await stage.paid(depositAddress, 700, 3);
  await stage.run();
  await meanwhile(stage, 400_000);
  await meanwhile(stage, 400_000);
  await meanwhile(stage, 400_000);
  expect(stage.open.openBreaks()).toEqual(['missing_notification']);
});

test('a missing deposit heals when its notifications arrive after all', async () => {
  const { stage, depositAddress } = await started();
  stage.loses = all;
  const hash = await stage.paid(depositAddress, 700, 3);
  await stage.caller.advance(GRACE_MS);
  await stage.run();
  expect(stage.open.openBreaks()).toEqual(['missing_notification']);
  await stage.deliverLost();
  await stage.run();
  expect(await stage.depositState(hash)).toBe('credited');
  expect(stage.open.openBreaks()).toEqual([]);
});

test('a missed transaction heals although the list was read beyond its row', async () => {
  const { stage, depositAddress } = await started();
  stage.loses = all;
  const hash = await stage.paid(depositAddress, 700, 3);
  await stage.caller.advance(GRACE_MS);
  await stage.run();
  await meanwhile(stage, 400_000);
  await meanwhile(stage, 400_000);
  await stage.deliverLost();
  await stage.run();
  expect(await stage.depositState(hash)).toBe('credited');
  expect(stage.open.openBreaks()).toEqual([]);
});

test('a missing deposit that a reorg takes away is missing no more', async () => {
  const { stage, depositAddress } = await started();
  stage.loses = all;
  const hash = await stage.paid(depositAddress, 700, 3);
  await stage.caller.advance(GRACE_MS);
  await stage.run();
  await stage.reorg(3, [hash]);
  await stage.run();
  expect(stage.open.openBreaks()).toEqual([]);
});

test('a deposit known from the mempool alone is missing its confirmation', async () => {
  const { stage, depositAddress } = await started();
  stage.loses = confirmations;
  const hash = await stage.paid(depositAddress, 700, 3);
  expect(await stage.depositState(hash)).toBe('detected');
  await stage.run();
  expect(stage.open.openBreaks()).toEqual([]);
  await stage.caller.advance(GRACE_MS);
  await stage.run();
  // The chain view has the movement, and the books have nothing to explain it.
  expect(stage.open.openBreaks()).toEqual(['missing_notification', 'unexplained_movement']);
  expect(stage.open.feedLines()).toEqual([]);
});

test('a withdrawal whose `mined` was lost is missing after the grace period, and heals', async () => {
  const { stage, depositAddress } = await started();
  await stage.paid(depositAddress, FUNDS, 3);
  await stage.run();
  stage.loses = ({ stream, type }) => stream === 'outgoing' && type === 'mined';
  const id = await stage.order(depositAddress, OUTSIDE, '1000');
  await stage.mine(1);
  await stage.run();
  expect(stage.open.openBreaks()).toEqual([]);
  await stage.caller.advance(GRACE_MS);
  await stage.run();
  // The chain view has the movement, and the books have nothing to explain it.
  expect(stage.open.openBreaks()).toEqual(['missing_notification', 'unexplained_movement']);
  expect(stage.open.openBreak('missing_notification')).toMatchObject({ transaction_id: id });
  await stage.deliverLost();
  await stage.run();
  expect(stage.open.openBreaks()).toEqual([]);
});

test('a withdrawal’s missing `mined` heals also when the API’s row has long been passed', async () => {
  const { stage, depositAddress } = await started();
  await stage.paid(depositAddress, FUNDS, 3);
  await stage.run();
  stage.loses = ({ stream, type }) => stream === 'outgoing' && type === 'mined';
  await stage.order(depositAddress, OUTSIDE, '1000');
  await stage.mine(1);
  await stage.caller.advance(GRACE_MS);
  await stage.run();
  await meanwhile(stage, 400_000);
  await meanwhile(stage, 400_000);
  await stage.deliverLost();
  await stage.run();
  expect(stage.open.openBreaks()).toEqual([]);
});

test('a withdrawal without notifications is missing', async () => {
  const { stage, depositAddress } = await started();
  await stage.paid(depositAddress, FUNDS, 3);
  await stage.run();
  stage.loses = all;
  await stage.order(depositAddress, OUTSIDE, '1000');
  await stage.mine(1);
  await stage.run();
  await meanwhile(stage, 400_000);
  await meanwhile(stage, 400_000);
  await meanwhile(stage, 400_000);
  expect(stage.open.openBreaks()).toEqual(['missing_notification']);
});

test('a withdrawal that is merely under way is no difference', async () => {
  const { stage, depositAddress } = await started();
  await stage.paid(depositAddress, FUNDS, 3);
  await stage.run();
  stage.loses = ({ stream }) => stream === 'outgoing';
  await stage.order(depositAddress, OUTSIDE, '1000');
  await stage.caller.advance(GRACE_MS);
  const run = await stage.run();
  expect(run.broken).toBe(0);
  expect(stage.open.openBreaks()).toEqual([]);
});

test('a `mined` that states another amount than the API is a mismatch with its sign', async () => {
  const { stage, depositAddress } = await started();
  await stage.paid(depositAddress, FUNDS, 3);
  await stage.run();
  stage.loses = ({ stream, type }) => stream === 'outgoing' && type === 'mined';
  const id = await stage.order(depositAddress, OUTSIDE, '1000');
  await stage.mine(1);
  const [webhook] = stage.lost;
  const changes = webhook?.['balanceChanges'] as { amount: string }[];
  const balanceChanges = changes.map((change) =>
    change.amount === '-1000' ? { ...change, amount: '-900' } : change,
  );
  await stage.deliver({ ...webhook, balanceChanges });
  await stage.run();
  const found = stage.open.openBreak('amount_mismatch');
  expect(found).toMatchObject({ transaction_id: id, asset: 'ethereum:ETH' });
  expect(BigInt(found.actual ?? '') - BigInt(found.expected ?? '')).toBe(100n);
});
