import { expect, test } from 'vitest';
import { Amount } from '../../src/domain/money/amount.ts';
import { showsOtherwise } from './shown-otherwise.ts';
import { ETH, GRACE_MS, Stage, THREE_DEEP, type DepositAddress, type Webhook } from './stage.ts';

/** A deposit of 700 units, three deep and credited. */
async function credited(): Promise<{ stage: Stage; depositAddress: DepositAddress; hash: string }> {
  const stage = await Stage.start();
  const depositAddress = await stage.depositAddress();
  const hash = await stage.paid(depositAddress, 700, 3);
  await stage.run();
  expect(stage.open.feedLines()).toEqual(['credit 700']);
  return { stage, depositAddress, hash };
}

function rollback(depositAddress: DepositAddress, hash: string): object {
  return {
    id: 'rollback-1',
    timestamp: 1,
    stream: 'incoming',
    type: 'rollback',
    vaultId: depositAddress.vaultId,
    accountId: depositAddress.accountId,
    addressId: depositAddress.addressId,
    network: 'ethereum',
    blockchainHash: hash,
  };
}

test('a rollback that the API does not confirm reverses no credit', async () => {
  const { stage, depositAddress, hash } = await credited();
  await stage.deliver(rollback(depositAddress, hash));
  await stage.run();
  await stage.caller.advance(GRACE_MS);
  await stage.run();
  expect(stage.open.feedLines()).toEqual(['credit 700']);
  expect(await stage.depositState(hash)).toBe('credited');
  expect(stage.open.openBreak('status_mismatch').severity).toBe('critical');
});

test('a true rollback after the credit is reversed once, with a critical break', async () => {
  const { stage, hash } = await credited();
  await stage.reorg(5, [hash]);
  expect(stage.open.openBreaks()).toEqual(['reversal_after_credit']);
  await stage.run();
  await stage.run();
  await stage.run(stage.newSweep());
  expect(stage.open.feedLines()).toEqual(['credit 700', 'reversal 700']);
  expect(await stage.depositState(hash)).toBe('reversed');
  const [credit, reversal] = stage.open.feed();
  expect(reversal).toMatchObject({ kind: 'reversal', amount: '700' });
  expect(reversal?.reverses).toBe(credit?.credit_id);
  expect(stage.open.openBreak('reversal_after_credit').severity).toBe('critical');
  expect(stage.open.positions()).toEqual({});
});

test('a rollback before any credit leaves nothing behind', async () => {
  const stage = await Stage.start();
  const depositAddress = await stage.depositAddress();
  const hash = await stage.paid(depositAddress, 700, 1);
  await stage.run();
  await stage.reorg(1, [hash]);
  const run = await stage.run();
  expect(await stage.depositState(hash)).toBe('rolled_back');
  expect(run).toMatchObject({ broken: 0, incomplete: null });
  expect(stage.open.openBreaks()).toEqual([]);
  expect(stage.open.feedLines()).toEqual([]);
});

test('mined again after the reversal, it is credited again after the same checks', async () => {
  const { stage, hash } = await credited();
  await stage.reorg(5, []);
  await stage.run();
  expect(stage.open.feedLines()).toEqual(['credit 700', 'reversal 700']);
  await stage.mine(1);
  await stage.run();
  expect(stage.open.feedLines()).toHaveLength(2);
  await stage.mine(2);
  await stage.run();
  await stage.run();
  expect(stage.open.feedLines()).toEqual(['credit 700', 'reversal 700', 'credit 700']);
  expect(await stage.depositState(hash)).toBe('credited');
  const ids = stage.open.feed().map(({ credit_id }) => credit_id);
  expect(new Set(ids).size).toBe(3);
});

test('a deposit mined again before the API was asked keeps its one credit', async () => {
  const { stage } = await credited();
  await stage.reorg(5, []);
  await stage.mine(3);
  await stage.run();
  await stage.run();
  expect(stage.open.feedLines()).toEqual(['credit 700']);
});

test('a reorg whose rollback is still on its way opens nothing within the grace period', async () => {
  const stage = await Stage.start();
  const depositAddress = await stage.depositAddress();
  const hash = await stage.paid(depositAddress, 700, 1);
  await stage.run();
  stage.loses = ({ type }: Webhook) => type === 'rollback';
  await stage.reorg(1, [hash]);
  await stage.run();
  expect(stage.open.openBreaks()).toEqual([]);
  await stage.deliverLost();
  await stage.run();
  expect(await stage.depositState(hash)).toBe('rolled_back');
  expect(stage.open.openBreaks()).toEqual([]);
});

test('a reorg whose rollback never arrives is a mismatch, and nothing is credited', async () => {
  const stage = await Stage.start();
  const depositAddress = await stage.depositAddress();
  const hash = await stage.paid(depositAddress, 700, 1);
  stage.loses = ({ type }: Webhook) => type === 'rollback';
  await stage.reorg(1, [hash]);
  await stage.caller.advance(GRACE_MS);
  await stage.run();
  expect(stage.open.openBreaks()).toEqual(['status_mismatch']);
  expect(stage.open.feedLines()).toEqual([]);
});

test('a credited deposit whose rollback never arrives is a critical mismatch', async () => {
  const { stage, hash } = await credited();
  stage.loses = ({ type }: Webhook) => type === 'rollback';
  await stage.reorg(5, [hash]);
  await stage.caller.advance(GRACE_MS);
  await stage.run();
  expect(stage.open.openBreak('status_mismatch').severity).toBe('critical');
  await stage.deliverLost();
  await stage.run();
  expect(stage.open.feedLines()).toEqual(['credit 700', 'reversal 700']);
  expect(stage.open.openBreaks()).toEqual(['reversal_after_credit']);
});

test('an approval credits nothing by the depth that the API showed before a reorg', async () => {
  const assets = { [ETH]: { oneApprovalAbove: Amount(500n) } };
  const stage = await Stage.start({ policy: { ...THREE_DEEP, assets } });
  const depositAddress = await stage.depositAddress();
  const hash = await stage.paid(depositAddress, 700, 3);
  await stage.run();
  const [deposit] = await stage.deposits(hash);
  if (deposit === undefined) throw new Error('no deposit');
  stage.loses = () => true;
  await stage.reorg(3, []);
  await stage.mine(1);
  await stage.run();
  const { depositId } = deposit;
  await stage.open.decide({ kind: 'approve', depositId, reason: 'known sender' });
  expect(await stage.depositState(hash)).toBe('verifying');
  expect(stage.open.feedLines()).toEqual([]);
  await stage.mine(2);
  await stage.run();
  expect(stage.open.feedLines()).toEqual(['credit 700']);
});

/** From now on the custody API lists a transaction as `mempool` after its rollback. */
function listsMempool(stage: Stage): void {
  showsOtherwise(stage, (row) =>
    row.status === 'rolledback' ? { ...row, status: 'mempool' } : row,
  );
}

function isRollback({ stream, type }: Webhook): boolean {
  return stream === 'incoming' && type === 'rollback';
}

test.each<[string, string[]]>([
  ['no webhook reports that', []],
  ['a webhook reports that', ['mempool']],
])(
  'a credited deposit that the API shows in the mempool after a rollback, and %s, is reversed after the grace period',
  async (_, reported) => {
    const { stage, hash } = await credited();
    listsMempool(stage);
    await stage.reorg(5, []);
    for (const type of reported) {
      const id = 'back in the mempool';
      await stage.deliver({ ...[...stage.heard.values()].find(isRollback), id, type });
    }
    await stage.run();
    expect(stage.open.feedLines()).toEqual(['credit 700']);
    expect(stage.open.openBreaks()).toEqual(['reversal_after_credit']);
    await stage.caller.advance(GRACE_MS);
    await stage.run();
    await stage.run();
    expect(stage.open.feedLines()).toEqual(['credit 700', 'reversal 700']);
    expect(await stage.depositState(hash)).toBe('reversed');
    expect(stage.open.openBreaks()).toEqual(['reversal_after_credit']);
    await stage.mine(3);
    await stage.run();
    expect(stage.open.feedLines()).toEqual(['credit 700', 'reversal 700', 'credit 700']);
  },
);

test('a credited deposit whose rollback never arrives, and which the API shows in the mempool, is a critical mismatch', async () => {
  const { stage, hash } = await credited();
  listsMempool(stage);
  stage.loses = ({ type }: Webhook) => type === 'rollback';
  await stage.reorg(5, []);
  await stage.run();
  expect(stage.open.openBreaks()).toEqual([]);
  await stage.caller.advance(GRACE_MS);
  await stage.run();
  expect(stage.open.openBreak('status_mismatch').severity).toBe('critical');
  await stage.deliverLost();
  await stage.caller.advance(GRACE_MS);
  await stage.run();
  expect(stage.open.feedLines()).toEqual(['credit 700', 'reversal 700']);
  expect(stage.open.openBreaks()).toEqual(['reversal_after_credit']);
  expect(await stage.depositState(hash)).toBe('reversed');
});
