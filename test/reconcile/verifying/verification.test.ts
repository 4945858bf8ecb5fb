import { expect, test } from 'vitest';
import { Amount } from '../../../src/domain/money/amount.ts';
import { ETH, Stage, THREE_DEEP } from '../stage.ts';

test('a deposit that is deep enough is verified against the API and credited once', async () => {
  const stage = await Stage.start();
  const depositAddress = await stage.depositAddress();
  const hash = await stage.paid(depositAddress, 700, 3);
  expect(await stage.depositState(hash)).toBe('verifying');
  const run = await stage.run();
  expect(run).toMatchObject({ broken: 0, incomplete: null, requests: 1 });
  expect(run.matched).toBeGreaterThanOrEqual(1);
  expect(await stage.depositState(hash)).toBe('credited');
  expect(stage.open.feedLines()).toEqual(['credit 700']);
  await stage.run();
  await stage.run(stage.newSweep());
  expect(stage.open.feedLines()).toEqual(['credit 700']);
});

test('nothing is credited below the depth that the API shows, with any webhook', async () => {
  const stage = await Stage.start();
  const depositAddress = await stage.depositAddress();
  stage.loses = ({ stream, type }) => stream === 'incoming' && type === 'confirmation';
  const hash = await stage.paid(depositAddress, 700, 1);
  const [webhook] = stage.lost;
  await stage.deliver({ ...webhook, id: 'forged-depth', confirmations: 3 });
  expect(await stage.depositState(hash)).toBe('verifying');
  const run = await stage.run();
  expect(run).toMatchObject({ broken: 0, incomplete: null });
  expect(stage.open.feedLines()).toEqual([]);
  expect(await stage.depositState(hash)).toBe('verifying');
  await stage.mine(1);
  await stage.run();
  expect(stage.open.feedLines()).toEqual([]);
  await stage.mine(1);
  await stage.run();
  expect(stage.open.feedLines()).toEqual(['credit 700']);
});

test('a depth that the network does not publish is read from the API', async () => {
  const stage = await Stage.start({ policy: { ...THREE_DEEP, default: { confirmations: 7 } } });
  const depositAddress = await stage.depositAddress();
  const hash = await stage.paid(depositAddress, 700, 6);
  await stage.run();
  expect(await stage.depositState(hash)).toBe('confirming');
  await stage.mine(1);
  await stage.run();
  expect(stage.open.feedLines()).toEqual(['credit 700']);
});

test('two deposits of one hash are verified each at its own position', async () => {
  const stage = await Stage.start();
  const [one, two] = [await stage.depositAddress('bitcoin'), await stage.depositAddress('bitcoin')];
  const outputs = [
    { addressId: one.addressId, asset: 'bitcoin:BTC', amount: '60000' },
    { addressId: two.addressId, asset: 'bitcoin:BTC', amount: '70000' },
  ];
  await stage.caller.sim('POST', '/sim/deposits', { network: 'bitcoin', outputs });
  await stage.mine(3, 'bitcoin');
  await stage.run();
  expect(stage.open.feedLines().toSorted()).toEqual(['credit 60000', 'credit 70000']);
});

test('an approval that is missing keeps the credit back, and does not replace the verification', async () => {
  const assets = { [ETH]: { oneApprovalAbove: Amount(500n) } };
  const stage = await Stage.start({ policy: { ...THREE_DEEP, assets } });
  const depositAddress = await stage.depositAddress();
  const hash = await stage.paid(depositAddress, 700, 3);
  await stage.run();
  expect(await stage.depositState(hash)).toBe('held: approval_required');
  const [deposit] = await stage.deposits(hash);
  if (deposit === undefined) throw new Error('no deposit');
  const decision = {
    kind: 'approve',
    depositId: deposit.depositId,
    reason: 'known sender',
  } as const;
  await stage.open.decide(decision, 'ann');
  await stage.run();
  expect(stage.open.feedLines()).toEqual(['credit 700']);
});

test('two runs in a row over an unchanged world journal the runs and nothing else', async () => {
  const stage = await Stage.start();
  const [from, to] = [await stage.depositAddress(), await stage.depositAddress()];
  await stage.paid(from, '900000000000000000', 3);
  await stage.order(from, to.networkAddress, '1000');
  await stage.mine(3);
  await stage.paid(to, 50, 1);
  stage.loses = () => true;
  await stage.paid(to, 51, 1);
  const webhook = stage.lost.find(
    ({ stream, type }) => stream === 'incoming' && type !== 'mempool',
  );
  await stage.deliver({ ...webhook, id: 'forged', transactionId: 'nobody' });
  await stage.caller.advance(700_000);
  await stage.run();
  await stage.run();
  const breaks = stage.open.openBreaks();
  expect(breaks).toEqual(['unknown_to_custody']);
  const head = stage.open.journalLength();
  const again = await stage.run();
  await stage.run(stage.newSweep());
  expect(stage.factsSince(head)).toEqual(['custody-record', 'custody-record']);
  expect(again.broken).toBeGreaterThanOrEqual(1);
  expect(stage.open.openBreaks()).toEqual(breaks);
});

test('a daemon without a custody API compares its own views and credits nothing', async () => {
  const stage = await Stage.start();
  const depositAddress = await stage.depositAddress();
  const hash = await stage.paid(depositAddress, 700, 3);
  const alone = stage.newSweep({ custody: undefined as never });
  const run = await stage.run(alone);
  expect(run).toMatchObject({ requests: 0, incomplete: null, watermark: null });
  expect(await stage.depositState(hash)).toBe('verifying');
});
