import { expect, test } from 'vitest';
import { showsOtherwise } from './shown-otherwise.ts';
import { GRACE_MS, Stage, type DepositAddress, type Webhook } from './stage.ts';
import { startVerifying } from './verifying/verifying-stage.ts';

const FUNDS = '900000000000000000';

/** A transfer of 1,000 units to an own address waits for its approval; the API was asked about it. */
async function ordered(stage: Stage, to: DepositAddress): Promise<() => Promise<void>> {
  const { clientId, token } = await stage.caller.client(['Vault:read', 'manageVaults']);
  const gated = await stage.caller.vault({ quorum: 1, approvers: [clientId] });
  const from = await stage.depositAddress('ethereum', gated);
  await stage.paid(from, FUNDS, 3);
  await stage.run();
  stage.loses = ({ stream }: Webhook) => stream === 'outgoing';
  const id = await stage.order(from, to.networkAddress, '1000');
  await stage.run();
  return async () => {
    await stage.caller.api(
      'POST',
      `/transactions/${id}/approvals`,
      { decision: 'approve' },
      { token },
    );
    await stage.deliverDue();
    await stage.mine(3);
  };
}

test('an own transfer whose row is shown as before it had a hash is not credited', async () => {
  const stage = await Stage.start();
  const approve = await ordered(stage, await stage.depositAddress());
  await approve();
  await stage.caller.advance(60_000);
  await stage.faults({ fault: 'stale' });
  expect((await stage.run()).skipped).toMatchObject({ custody_behind: 1 });
  await stage.faults();
  await stage.run();
  expect((await stage.deposits()).map(({ state }) => state).toSorted()).toEqual([
    'credited',
    'internal',
  ]);
  expect(stage.open.feedLines()).toEqual([`credit ${FUNDS}`]);
  expect(stage.open.openBreaks()).toEqual([]);
});

test('the same when the verifier reads it, and no row of the transaction is new', async () => {
  const { stage, rounds } = await startVerifying();
  const approve = await ordered(stage, await stage.depositAddress());
  await rounds();
  await approve();
  await stage.caller.advance(60_000);
  await stage.faults({ fault: 'stale' });
  await rounds(10_000);
  await stage.faults();
  await rounds(60_000);
  expect(stage.open.feedLines()).toEqual([`credit ${FUNDS}`]);
});

test('an own transfer whose row gains its hash without a new time is not credited', async () => {
  const { stage, rounds, sweep } = await startVerifying();
  const [from, to] = [await stage.depositAddress(), await stage.depositAddress()];
  await stage.paid(from, FUNDS, 3);
  await rounds();
  stage.loses = ({ stream }: Webhook) => stream !== 'incoming';
  await stage.order(from, to.networkAddress, '1000');
  const api = { showsHash: false };
  const submitted = { status: 'submitted', updatedAt: new Date(stage.now).toISOString() };
  showsOtherwise(stage, (row) => {
    if (row.type === 'incoming') return row;
    const blockchainHash = api.showsHash ? row.blockchainHash : null;
    return { ...row, ...submitted, blockchainHash, balanceChanges: null };
  });
  await stage.mine(3);
  await rounds(60_000);
  await stage.run(sweep);
  api.showsHash = true;
  for (let run = 0; run < 3; run += 1) {
    await stage.run(sweep);
    await stage.caller.advance(GRACE_MS);
    await rounds(60_000);
  }
  expect(stage.open.feedLines()).toEqual([`credit ${FUNDS}`]);
});

test('a customer’s deposit where an own transfer goes is credited when the grace period has ended', async () => {
  const stage = await Stage.start();
  const to = await stage.depositAddress();
  await ordered(stage, to);
  await stage.paid(to, 700, 3);
  await stage.run();
  expect(stage.open.feedLines()).toEqual([`credit ${FUNDS}`]);
  await stage.caller.advance(GRACE_MS);
  await stage.run();
  expect(stage.open.feedLines()).toEqual([`credit ${FUNDS}`, 'credit 700']);
  expect(stage.open.openBreaks()).toEqual([]);
});
