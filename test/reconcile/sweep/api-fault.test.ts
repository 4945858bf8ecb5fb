import { expect, test } from 'vitest';
import { forgedConfirmation, GRACE_MS, Stage, type DepositAddress } from '../stage.ts';

const FUNDS = '900000000000000000';
const LIST = 'GET /transactions';
const ONE = 'GET /transactions/{id}';

/**
 * A deposit that waits for its verification, one whose notifications are overdue, and a transfer
 * between own vaults: whatever the API does, nothing may be opened or credited without its word.
 */
async function withWaitingDeposit(): Promise<{
  stage: Stage;
  depositAddress: DepositAddress;
  hash: string;
}> {
  const stage = await Stage.start();
  const depositAddress = await stage.depositAddress();
  await stage.paid(depositAddress, FUNDS, 3);
  await stage.run();
  const hash = await stage.paid(depositAddress, 700, 3);
  expect(await stage.depositState(hash)).toBe('verifying');
  return { stage, depositAddress, hash };
}

function expectNothing(stage: Stage): void {
  expect(stage.open.feedLines()).toEqual([`credit ${FUNDS}`]);
  expect(stage.open.openBreaks()).toEqual([]);
}

async function expectRecovery(stage: Stage): Promise<void> {
  await stage.faults();
  // An open circuit tries again after at most half a minute, and a silence ends within a minute.
  await stage.caller.advance(61_000);
  const run = await stage.run();
  expect(run).toMatchObject({ incomplete: null, broken: 0 });
  expect(stage.open.feedLines()).toEqual([`credit ${FUNDS}`, 'credit 700']);
  expect(stage.open.openBreaks()).toEqual([]);
}

test.each([
  { fault: 'error', errorCode: 'GE-1' },
  { fault: 'error', errorCode: 'HAC-1' },
  { fault: 'error', errorCode: 'AU-1' },
  { fault: 'error', errorCode: 'NE-1' },
  { fault: 'error', errorCode: 'BR-1' },
  { fault: 'hang' },
  { fault: 'reset' },
  { fault: 'truncate' },
])('a list that fails ($fault $errorCode) is no evidence of anything', async (fault) => {
  const { stage } = await withWaitingDeposit();
  await stage.faults({ ...fault, operation: LIST });
  const run = await stage.run();
  expect(run.incomplete).toEqual(expect.stringMatching(/custody API/));
  expect(run).toMatchObject({ broken: 0, skipped: { api_unavailable: 1 }, watermark: null });
  expectNothing(stage);
  await expectRecovery(stage);
});

test('a list that is refused for its rate is a matter of the budget, and waited for', async () => {
  const { stage } = await withWaitingDeposit();
  await stage.faults({ fault: '429', operation: LIST });
  const run = await stage.run();
  expect(run.incomplete).toEqual(expect.stringMatching(/budget/));
  expect(run).toMatchObject({ broken: 0, skipped: { rate_budget: 1 } });
  expectNothing(stage);
  await expectRecovery(stage);
});

test('one refusal for its rate does not cost the run', async () => {
  const { stage } = await withWaitingDeposit();
  await stage.faults({ fault: '429', operation: LIST, count: 1 });
  const run = await stage.run();
  expect(run).toMatchObject({ incomplete: null, skipped: {} });
  expect(stage.open.feedLines()).toEqual([`credit ${FUNDS}`, 'credit 700']);
});

test.each([{ fault: 'error' }, { fault: 'reset' }, { fault: 'truncate' }])(
  'one failure ($fault) of the list does not cost the run',
  async (fault) => {
    const { stage } = await withWaitingDeposit();
    await stage.faults({ ...fault, operation: LIST, count: 1 });
    expect(await stage.run()).toMatchObject({ incomplete: null });
    expect(stage.open.feedLines()).toEqual([`credit ${FUNDS}`, 'credit 700']);
  },
);

test.each([
  { fault: 'error' },
  { fault: 'hang', answeredFirst: 1 },
  { fault: 'reset' },
  { fault: 'truncate' },
])('a look-up that fails ($fault) is not a deposit that the API does not know', async (fault) => {
  const { stage, depositAddress, hash } = await withWaitingDeposit();
  const [true_] = await stage.deposits(hash);
  const balanceChanges = [{ asset: 'ethereum:ETH', amount: String(true_?.amount), tags: [] }];
  await stage.deliver(
    forgedConfirmation(depositAddress, { transactionId: 'nobody', balanceChanges }),
  );
  await stage.faults({ ...fault, operation: ONE });
  const run = await stage.run();
  expect(run.skipped).toMatchObject({ api_unavailable: 1 });
  expect(stage.open.openBreaks()).toEqual([]);
  await stage.faults();
  await stage.caller.advance(61_000);
  await stage.run();
  expect(stage.open.openBreaks()).toEqual(['unknown_to_custody']);
  expect(stage.open.feedLines()).toEqual([`credit ${FUNDS}`, 'credit 700']);
});

test('an API that lags behind is no evidence that a deposit is unknown', async () => {
  const { stage, hash } = await withWaitingDeposit();
  await stage.faults({ fault: 'stale' });
  await stage.run();
  await stage.run();
  expectNothing(stage);
  await expectRecovery(stage);
  expect(await stage.depositState(hash)).toBe('credited');
});

test('balance changes that are left out are pending, and compared by a later run', async () => {
  const { stage, hash } = await withWaitingDeposit();
  await stage.faults({ fault: 'omit-balance-changes' });
  const run = await stage.run();
  expect(run).toMatchObject({ broken: 0, incomplete: null });
  expect(run.skipped['balance_changes_pending']).toBeGreaterThanOrEqual(1);
  expectNothing(stage);
  expect(await stage.depositState(hash)).toBe('verifying');
  await expectRecovery(stage);
});

/** Two pages of deposits without notifications: each is counted where it is compared. */
async function twoPages(): Promise<Stage> {
  const stage = await Stage.start();
  const depositAddress = await stage.depositAddress('ripple');
  stage.loses = () => true;
  for (const part of [0, 1]) {
    const outputs = Array.from({ length: 700 }, (_, number) => ({
      addressId: depositAddress.addressId,
      asset: 'ripple:XRP',
      amount: String(1_000_000 + number),
      memo: String(part * 700 + number),
    }));
    await stage.caller.sim('POST', '/sim/deposits', { network: 'ripple', outputs });
    await stage.mine(1, 'ripple');
  }
  return stage;
}

test.each([0, 1, 2, 3])('pages that drift %i times lose and repeat no row', async (count) => {
  const stage = await twoPages();
  await stage.faults({ fault: 'page-drift', count });
  const run = await stage.run();
  expect(run).toMatchObject({ incomplete: null, skipped: { in_grace: 1_400 } });
});

test('pages that never stop drifting are no evidence of anything, until they do', async () => {
  const stage = await twoPages();
  await stage.caller.advance(GRACE_MS);
  await stage.faults({ fault: 'page-drift' });
  const run = await stage.run();
  expect(run).toMatchObject({ broken: 0, watermark: null, skipped: { api_unavailable: 1 } });
  expect(run.incomplete).toEqual(expect.any(String));
  expect(stage.open.openBreaks()).toEqual([]);
  await stage.faults();
  expect(await stage.run()).toMatchObject({ broken: 1_400, incomplete: null });
});
