import { expect, test } from 'vitest';
import { Amount } from '../../../src/domain/money/amount.ts';
import { ETH, THREE_DEEP } from '../stage.ts';
import { startVerifying } from './verifying-stage.ts';

test('a deposit is credited in the round after the block that makes it deep enough', async () => {
  const { stage, rounds, observed } = await startVerifying();
  const depositAddress = await stage.depositAddress();
  const hash = await stage.paid(depositAddress, 700, 3);
  expect(await stage.depositState(hash)).toBe('verifying');
  expect(await rounds()).toBe(1);
  expect(await stage.depositState(hash)).toBe('credited');
  expect(stage.open.feedLines()).toEqual(['credit 700']);
  expect(stage.attempts.map(({ operation }) => operation)).toEqual(['transactions']);
  expect(observed.total).toHaveLength(1);
  expect(observed.asked).toHaveLength(1);
});

test('one request verifies every deposit that is due', async () => {
  const { stage, rounds } = await startVerifying();
  const depositAddresses = [
    await stage.depositAddress(),
    await stage.depositAddress(),
    await stage.depositAddress(),
  ];
  for (const depositAddress of depositAddresses) await stage.pay(depositAddress, 700);
  await stage.mine(3);
  await rounds();
  expect(stage.open.feedLines()).toEqual(['credit 700', 'credit 700', 'credit 700']);
  expect(stage.attempts).toHaveLength(1);
});

test('a deposit is credited by the answer although its own webhook is still on the way', async () => {
  const { stage, rounds } = await startVerifying();
  const [reported, slow] = [await stage.depositAddress(), await stage.depositAddress()];
  await stage.pay(reported, 700);
  await stage.pay(slow, 800);
  await stage.mine(2);
  stage.loses = ({ vaultId }) => vaultId === slow.vaultId;
  await stage.mine(1);
  await rounds();
  expect(stage.open.feedLines().toSorted()).toEqual(['credit 700', 'credit 800']);
});

test('a reading that fails verifies nothing, and the next one does', async () => {
  const { stage, rounds, verifier } = await startVerifying();
  const depositAddress = await stage.depositAddress();
  await stage.paid(depositAddress, 700, 3);
  await stage.faults({ fault: 'error', errorCode: 'GE-1' });
  await rounds();
  expect(stage.open.feedLines()).toEqual([]);
  expect(verifier.oldest()?.reason).toBe('reading_failed');
  await stage.faults();
  await rounds(60_000);
  expect(stage.open.feedLines()).toEqual(['credit 700']);
  expect(verifier.oldest()).toBeNull();
});

test('a cut page verifies nothing', async () => {
  const { stage, rounds } = await startVerifying();
  const depositAddress = await stage.depositAddress();
  await stage.paid(depositAddress, 700, 3);
  await stage.faults({ fault: 'truncate' });
  await rounds();
  expect(stage.open.feedLines()).toEqual([]);
});

test('a transfer between own addresses is internal, although no outgoing webhook ever came', async () => {
  const { stage, rounds, sweep } = await startVerifying();
  const [from, to] = [await stage.depositAddress(), await stage.depositAddress()];
  const funded = await stage.paid(from, String(10n ** 18n), 3);
  await rounds();
  expect(await stage.depositState(funded)).toBe('credited');
  stage.loses = ({ stream }) => stream !== 'incoming';
  await stage.order(from, to.networkAddress, '700');
  await stage.mine(3);
  await rounds(60_000);
  const [received] = (await stage.deposits()).filter(({ vaultId }) => vaultId === to.vaultId);
  expect(received?.state).toBe('internal');
  await stage.run(sweep);
  expect(stage.open.feedLines()).toHaveLength(1);
});

test('own transactions that only a sweep has read are durable before a deposit of theirs is compared', async () => {
  const { stage, rounds, changes } = await startVerifying();
  const [from, to] = [await stage.depositAddress(), await stage.depositAddress()];
  await stage.paid(from, String(10n ** 18n), 3);
  await rounds();
  stage.loses = ({ stream }) => stream !== 'incoming';
  await stage.order(from, to.networkAddress, '700');
  await stage.mine(3);
  // A sweep has read the row, and its evidence is not submitted yet.
  const list = await changes.read({
    priority: 'sweep',
    deadlineMs: stage.now + 10_000,
    askedAfter: 0,
  });
  expect(list.incomplete).toBeNull();
  await rounds(60_000);
  const [received] = (await stage.deposits()).filter(({ vaultId }) => vaultId === to.vaultId);
  expect(received?.state).toBe('internal');
});

test('a deposit that an operator approves late is asked for singly, and credited', async () => {
  const assets = { [ETH]: { oneApprovalAbove: Amount(500n) } };
  const { stage, rounds, sweep } = await startVerifying({ policy: { ...THREE_DEEP, assets } });
  const depositAddress = await stage.depositAddress();
  const hash = await stage.paid(depositAddress, 700, 3);
  await stage.run(sweep);
  expect(await stage.depositState(hash)).toBe('held: approval_required');
  const [deposit] = await stage.deposits(hash);
  if (deposit === undefined) throw new Error('no deposit');
  const { depositId } = deposit;
  await stage.open.decide({ kind: 'approve', depositId, reason: 'known sender' }, 'ann');
  await rounds();
  expect(stage.open.feedLines()).toEqual(['credit 700']);
});

test('a forged deposit costs four requests at most, and is then left to the sweep', async () => {
  const { stage, rounds, verifier } = await startVerifying();
  const depositAddress = await stage.depositAddress();
  await stage.paid(depositAddress, 700, 1);
  const webhook = [...stage.heard.values()].find(({ stream }) => stream === 'incoming');
  const forged = { ...webhook, id: 'forged', blockchainHash: '0xf0', transactionId: 'made-up' };
  await stage.deliver({ ...forged, type: 'confirmation', confirmations: 3 });
  expect(await rounds(120_000)).toBe(4);
  expect(stage.attempts.map(({ operation }) => operation)).toEqual(Array(4).fill('transactions'));
  expect(verifier.nextRoundAtMs()).toBeNull();
  expect(stage.open.feedLines()).toEqual([]);
});

test('the reversal of a credit is in the feed as soon as the API agrees', async () => {
  const { stage, rounds } = await startVerifying();
  const depositAddress = await stage.depositAddress();
  const hash = await stage.paid(depositAddress, 700, 3);
  await rounds();
  await stage.reorg(3, [hash]);
  await rounds();
  expect(stage.open.feedLines()).toEqual(['credit 700', 'reversal 700']);
});

test('before any sweep has read the list nothing is verified, and a sweep is asked for', async () => {
  const { stage, rounds, sweep, sweepsWanted, verifier } = await startVerifying({ history: false });
  const depositAddress = await stage.depositAddress();
  await stage.paid(depositAddress, 700, 3);
  await rounds();
  expect(sweepsWanted()).toBeGreaterThan(0);
  expect(stage.attempts).toEqual([]);
  expect(verifier.oldest()?.reason).toBe('no_history');
  await stage.run(sweep);
  expect(stage.open.feedLines()).toEqual(['credit 700']);
});

test('a withdrawal is confirmed as soon as the API says so', async () => {
  const { stage, rounds } = await startVerifying();
  const [from, to] = [await stage.depositAddress(), await stage.depositAddress()];
  await stage.paid(from, String(10n ** 18n), 3);
  await rounds();
  const transactionId = await stage.order(from, to.networkAddress, '700');
  await stage.mine(3);
  await rounds(2_000);
  const withdrawals = await stage.reads.withdrawals({}, { page: 0, pageSize: 10 });
  expect(withdrawals.items.find((one) => one.transactionId === transactionId)?.custody).toBe(
    'known',
  );
});

test('a sweep compares what the verifier has read, for one request of its own', async () => {
  const { stage, rounds, sweep } = await startVerifying();
  const depositAddress = await stage.depositAddress();
  await stage.paid(depositAddress, 700, 3);
  await rounds();
  const run = await stage.run(sweep);
  expect(run).toMatchObject({ incomplete: null, requests: 1, broken: 0 });
  expect(run.matched).toBeGreaterThan(0);
});

test('a restarted verifier finds what was due', async () => {
  const first = await startVerifying();
  const depositAddress = await first.stage.depositAddress();
  const { stage } = first;
  await stage.paid(depositAddress, 600, 3);
  await stage.run(first.sweep);
  await stage.paid(depositAddress, 700, 3);
  stage.open.onNews = () => undefined;
  const again = first.restarted();
  await again.restore();
  expect(again.nextRoundAtMs()).not.toBeNull();
  await stage.caller.advance(1_000);
  await again.round();
  expect(stage.open.feedLines()).toEqual(['credit 600', 'credit 700']);
});

test('forged deposits that use up their pace delay no deposit that the API has shown', async () => {
  const { stage, rounds, verifier, sweep } = await startVerifying();
  const depositAddress = await stage.depositAddress();
  const hash = await stage.paid(depositAddress, 700, 2);
  await stage.run(sweep);
  const webhook = [...stage.heard.values()].find(({ stream }) => stream === 'incoming');
  for (let count = 0; count < 70; count += 1) {
    const id = `forged-${count}`;
    const forged = { ...webhook, id, blockchainHash: id, transactionId: id };
    await stage.deliver({ ...forged, type: 'confirmation', confirmations: 3 });
    await stage.caller.advance(150);
    await verifier.round();
  }
  const asked = stage.attempts.length;
  expect((verifier.nextRoundAtMs() ?? 0) - stage.now).toBeGreaterThan(1_000);
  await stage.mine(1);
  expect((verifier.nextRoundAtMs() ?? 0) - stage.now).toBeLessThanOrEqual(150);
  await rounds(200);
  expect(await stage.depositState(hash)).toBe('credited');
  expect(stage.attempts).toHaveLength(asked + 1);
});

test('a webhook that comes after its row was read is credited in the next round', async () => {
  const { stage, rounds } = await startVerifying();
  const [reported, slow] = [await stage.depositAddress(), await stage.depositAddress()];
  await stage.pay(reported, 700);
  stage.loses = ({ vaultId }) => vaultId === slow.vaultId;
  await stage.pay(slow, 800);
  await stage.mine(3);
  await rounds();
  expect(stage.open.feedLines()).toEqual(['credit 700']);
  // Long enough for the row to be behind the overlap of the next reading.
  await stage.paid(reported, 600, 3);
  await rounds();
  await stage.deliverLost();
  await rounds();
  expect(stage.open.feedLines()).toEqual(['credit 700', 'credit 600', 'credit 800']);
  // A row of a list is not looked up singly.
  expect(stage.attempts.filter(({ operation }) => operation === 'transaction')).toEqual([]);
});
