import { expect, test } from 'vitest';
import { audit } from '../store/bookkeeping/audited.ts';
import { forgedConfirmation, GRACE_MS, Stage } from './stage.ts';

const NOBODY = { transactionId: 'nobody' };

/** A stage whose books hold a forged deposit of 700 units, with its break. */
async function forgery() {
  const stage = await Stage.start();
  const depositAddress = await stage.depositAddress();
  await stage.deliver(forgedConfirmation(depositAddress, NOBODY));
  await stage.run();
  const { id: breakId } = stage.open.openBreak('unknown_to_custody');
  expect(Object.values(stage.open.positions())).toEqual(['700']);
  return { stage, depositAddress, breakId };
}

/** Three runs, each after the grace period. */
async function laterRuns(stage: Stage): Promise<void> {
  for (let run = 0; run < 3; run += 1) {
    await stage.caller.advance(GRACE_MS);
    await stage.run();
  }
}

test('resolving the break of a forged deposit takes it from the books, with the reason on record', async () => {
  const { stage, breakId } = await forgery();
  const reason = 'the custody service did not send it, ticket 7';
  await stage.open.decide({ kind: 'resolve', breakId, reason, takesBack: true });
  expect(stage.open.balances()).toEqual({});
  expect(await stage.deposits('0xf0f0')).toMatchObject([{ state: 'rolled_back', epoch: 1 }]);
  const entries = stage.open.rows('SELECT source, cause, reverses IS NULL AS posts FROM entries');
  expect(entries).toEqual([
    { source: 'webhook', cause: 'incoming', posts: 1 },
    { source: 'decision', cause: 'incoming', posts: 0 },
  ]);
  await laterRuns(stage);
  expect(stage.open.openBreaks()).toEqual([]);
  expect(stage.open.feedLines()).toEqual([]);
});

test('a resolution of an earlier version leaves the forged deposit in the books', async () => {
  const { stage, breakId } = await forgery();
  await stage.open.decide({ kind: 'resolve', breakId, reason: 'ticket 7' });
  expect(Object.values(stage.open.positions())).toEqual(['700']);
});

test('sent again, the forged deposit has a new break', async () => {
  const { stage, breakId, depositAddress } = await forgery();
  await stage.open.decide({ kind: 'resolve', breakId, reason: 'ticket 7', takesBack: true });
  await stage.deliver(forgedConfirmation(depositAddress, { ...NOBODY, id: 'forged-again' }));
  await stage.caller.advance(GRACE_MS);
  await stage.run();
  expect(stage.open.openBreak('unknown_to_custody').id).not.toBe(breakId);
  expect(stage.open.feedLines()).toEqual([]);
});

test('a true deposit that was taken back by mistake is booked again and credited when the API shows it', async () => {
  const stage = await Stage.start();
  const depositAddress = await stage.depositAddress();
  const webhookUrl = await stage.webhookUrl();
  const sweep = stage.newSweep({ subscription: { webhookUrl, vaults: 'all' } });
  const hash = await stage.paid(depositAddress, 700, 3);
  const [deposit] = await stage.deposits(hash);
  if (deposit === undefined) throw new Error('no deposit');
  const { depositId } = deposit;
  await stage.open.record({ kind: 'deposit', depositId, transaction: null, graceMs: GRACE_MS });
  const { id: breakId } = stage.open.openBreak('unknown_to_custody');
  await stage.open.decide({ kind: 'resolve', breakId, reason: 'ticket 7', takesBack: true });
  expect(stage.open.balances()).toEqual({});
  for (let run = 0; run < 4; run += 1) {
    await stage.caller.advance(GRACE_MS);
    await stage.run(sweep);
  }
  expect(stage.open.feedLines()).toEqual(['credit 700']);
  expect(Object.values(stage.open.positions())).toEqual(['700']);
  expect(stage.open.openBreaks()).toEqual([]);
});

test('resolving the break of a credited deposit reverses the credit if a webhook took the deposit back', async () => {
  const stage = await Stage.start();
  const hash = await stage.paid(await stage.depositAddress(), 700, 3);
  await stage.run();
  const [deposit] = await stage.deposits(hash);
  if (deposit === undefined) throw new Error('no deposit');
  const { depositId } = deposit;
  const resolved = async (): Promise<void> => {
    await stage.open.record({ kind: 'deposit', depositId, transaction: null, graceMs: GRACE_MS });
    const { id: breakId } = stage.open.openBreak('unknown_to_custody');
    await stage.open.decide({ kind: 'resolve', breakId, reason: 'it is gone', takesBack: true });
  };
  await resolved();
  expect(await stage.depositState(hash)).toBe('credited');
  await stage.reorg(3, [hash]);
  await resolved();
  expect(await stage.depositState(hash)).toBe('reversed');
  expect(stage.open.feedLines()).toEqual(['credit 700', 'reversal 700']);
  expect(stage.open.balances()).toEqual({});
  expect(audit(stage.open)).toEqual([]);
});

test('resolving the break of a correction reverses no credit, also if a webhook took the deposit back', async () => {
  const stage = await Stage.start();
  const depositAddress = await stage.depositAddress();
  stage.loses = ({ stream }) => stream === 'incoming';
  const hash = await stage.paid(depositAddress, 700, 3);
  const webhook = stage.lost.find(({ type }) => type === 'confirmation');
  await stage.deliver({ ...webhook, id: 'forged', ...NOBODY });
  await stage.run();
  await stage.caller.advance(GRACE_MS);
  await stage.run();
  expect(await stage.depositState(hash)).toBe('credited');
  const { id: breakId } = stage.open.openBreak('unknown_to_custody');
  const rollback = { type: 'rollback', confirmations: null, balanceChanges: undefined };
  await stage.deliver({ ...webhook, ...rollback, id: 'forged-rollback' });
  expect(stage.open.balances()).toEqual({});
  await stage.open.decide({ kind: 'resolve', breakId, reason: 'ticket 7', takesBack: true });
  expect(stage.open.feedLines()).toEqual(['credit 700']);
  expect(await stage.depositState(hash)).toBe('credited');
  expect(audit(stage.open)).toEqual([]);
});

test('the resolved break of a deposit at a wrong address does not open again', async () => {
  const stage = await Stage.start();
  const depositAddress = await stage.depositAddress();
  const other = await stage.caller.address(depositAddress.accountId, 'ethereum');
  stage.loses = ({ stream }) => stream === 'incoming';
  const hash = await stage.paid(depositAddress, 700, 3);
  const webhook = stage.lost.find(({ type }) => type === 'confirmation');
  await stage.deliver({ ...webhook, id: 'forged', addressId: other.addressId });
  await stage.run();
  const { id: breakId } = stage.open.openBreak('unknown_to_custody');
  await stage.open.decide({ kind: 'resolve', breakId, reason: 'ticket 7', takesBack: true });
  await stage.deliverLost();
  await laterRuns(stage);
  expect(await stage.depositState(hash)).toBe('credited, rolled_back');
  expect(stage.open.openBreaks()).toEqual([]);
});
