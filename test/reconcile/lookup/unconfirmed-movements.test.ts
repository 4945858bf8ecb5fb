import { expect, test } from 'vitest';
import { forgedConfirmation, ETH, GRACE_MS, Stage, type DepositAddress } from '../stage.ts';

const FUNDS = '900000000000000000';

/** A vault whose subscription has no `blockchain` stream. */
async function unseen(stage: Stage): Promise<DepositAddress> {
  const depositAddress = await stage.depositAddress();
  const webhookUrl = await stage.webhookUrl();
  const streams = ['outgoing', 'incoming'];
  await stage.api('POST', `/subscriptions/${depositAddress.vaultId}`, { webhookUrl, streams });
  return depositAddress;
}

function agreements(stage: Stage): string[] {
  return stage.open
    .rows<{ agreement: string }>('SELECT agreement FROM movements ORDER BY agreement')
    .map(({ agreement }) => agreement);
}

/** Requests since the last call, by operation. */
function asked(stage: Stage): string[] {
  return stage.attempts.splice(0).map(({ operation }) => operation);
}

/** Other rows move the watermark so far that what was read until now is not read again. */
async function beyondOverlap(stage: Stage): Promise<void> {
  for (let round = 1; round <= 4; round += 1) {
    await stage.caller.advance(400_000);
    await stage.paid(await stage.depositAddress(), 5, 1);
    await stage.run();
  }
}

test('without a chain view, the rows of a verification confirm the books without another request', async () => {
  const stage = await Stage.start();
  const depositAddress = await unseen(stage);
  await stage.paid(depositAddress, FUNDS, 3);
  expect(agreements(stage)).toEqual(['books_only']);
  asked(stage);
  await stage.run();
  expect(asked(stage)).toEqual(['transactions']);
  expect(agreements(stage)).toEqual(['custody_agrees']);
  const last = await stage.run();
  expect(last.skipped).toEqual({});
  expect(last.matched).toBeGreaterThan(0);
});

test('a hash that pays two addresses of a vault is confirmed by its rows together', async () => {
  const stage = await Stage.start();
  const depositAddress = await unseen(stage);
  const other = await stage.caller.address(depositAddress.accountId, 'ethereum');
  const outputs = [depositAddress, other].map(({ addressId }, index) => ({
    addressId,
    asset: ETH,
    amount: String(700 + index),
  }));
  await stage.caller.sim('POST', '/sim/deposits', { network: 'ethereum', outputs });
  await stage.mine(3);
  await stage.run();
  expect(agreements(stage)).toEqual(['books_only']);
  await stage.caller.advance(GRACE_MS / 2);
  asked(stage);
  await stage.run();
  expect(asked(stage)).toEqual(['transactions']);
  expect(agreements(stage)).toEqual(['custody_agrees']);
});

test('a movement that no known row confirms is looked up singly after the grace period', async () => {
  const stage = await Stage.start();
  const depositAddress = await unseen(stage);
  await stage.paid(depositAddress, 700, 3);
  await stage.run();
  await beyondOverlap(stage);
  const [deposit] = await stage.deposits();
  if (deposit === undefined) throw new Error('no deposit');
  // Reported again with the same sum: what the API said was about the books as they were.
  const late = {
    accountId: depositAddress.accountId,
    addressId: depositAddress.addressId,
    memo: null,
  };
  await stage.deliver({
    ...late,
    id: 'restated',
    timestamp: 1,
    stream: 'incoming',
    type: 'confirmation',
    vaultId: depositAddress.vaultId,
    network: 'ethereum',
    blockchainHash: deposit.blockchainHash,
    transactionId: deposit.transactionId,
    confirmations: 12,
    balanceChanges: [{ asset: ETH, amount: '700', tags: ['mint'] }],
  });
  expect(agreements(stage)).toContain('books_only');
  await stage.caller.advance(GRACE_MS);
  await stage.run();
  expect(agreements(stage)).not.toContain('books_only');
});

test('books that the API contradicts by sum are a conservation break', async () => {
  const stage = await Stage.start();
  const depositAddress = await unseen(stage);
  const hash = await stage.paid(depositAddress, 700, 3);
  await stage.run();
  const other = await stage.caller.address(depositAddress.accountId, 'ethereum');
  const balanceChanges = [{ asset: ETH, amount: '5', tags: [] }];
  const { addressId } = other;
  await stage.deliver(
    forgedConfirmation(depositAddress, { addressId, blockchainHash: hash, balanceChanges }),
  );
  await beyondOverlap(stage);
  expect(stage.open.openBreaks()).toEqual(['conservation', 'unknown_to_custody']);
  expect(stage.open.openBreak('conservation')).toMatchObject({ expected: '700', actual: '705' });
});

test('no more than ten hashes are asked for in a run, and the rest are counted', async () => {
  const stage = await Stage.start();
  const depositAddress = await unseen(stage);
  for (let number = 0; number < 12; number += 1) {
    const forged = forgedConfirmation(depositAddress, {
      id: `forged-${number}`,
      blockchainHash: `0x${number}`,
      transactionId: `nobody-${number}`,
      balanceChanges: [{ asset: ETH, amount: '5', tags: [] }],
    });
    await stage.deliver(forged);
  }
  await stage.caller.advance(GRACE_MS);
  asked(stage);
  const run = await stage.run();
  expect(asked(stage).filter((operation) => operation === 'transactions')).toHaveLength(11);
  expect(run.skipped).toMatchObject({ rate_budget: 2 });
});
