import { expect, test } from 'vitest';
import { AssetId } from '../../../src/domain/ids.ts';
import { Amount } from '../../../src/domain/money/amount.ts';
import { change } from '../webhook.ts';
import { openStore } from './open-store.ts';

const ETH = 'ethereum:ETH';

/** What each withdrawal moved: change kind and amount, in the order of its notification. */
const WITHDRAWALS: Readonly<Record<string, readonly (readonly [kind: string, amount: string])[]>> =
  {
    'one transfer and its fee': [
      ['transfer', '-30'],
      ['fee', '-2'],
    ],
    'one transfer alone': [['transfer', '-30']],
    'two transfers and a fee': [
      ['transfer', '-10'],
      ['transfer', '-20'],
      ['fee', '-2'],
    ],
    'two transfers without a fee': [
      ['transfer', '-25'],
      ['transfer', '-5'],
    ],
    'another amount, and a fee of that much': [
      ['transfer', '-7'],
      ['fee', '-30'],
    ],
    'more than that': [['transfer', '-300']],
    'that much received': [['transfer', '30']],
  };

test('withdrawals are found by the sum that they moved, fees left out', async () => {
  const { open, reads, service } = await openStore();
  const names = Object.entries(WITHDRAWALS);
  for (const [index, [name, changes]] of names.entries()) {
    const balanceChanges = changes.map(([type, amount]) =>
      change(amount, type === 'fee' ? { tags: ['fee'] } : {}),
    );
    const mined = { transactionId: name, blockchainHash: `0x${index}`, balanceChanges };
    await open.deliver(service.outgoing('mined', mined));
  }
  const amounts = [{ asset: AssetId(ETH), amount: Amount(30n) }];
  const { withdrawals } = await reads.mentions({ text: '30 wei', amounts }, 20);
  expect(withdrawals.map(({ transactionId }) => transactionId).toReversed()).toEqual([
    'one transfer and its fee',
    'one transfer alone',
    'two transfers and a fee',
    'two transfers without a fee',
  ]);
});

test('a memo that reads like a fee hides no withdrawal of two transfers', async () => {
  const { open, reads, service } = await openStore();
  const memo = { memoInfo: { memo: 'fee' } };
  const balanceChanges = [change('-25', memo), change('-5', memo)];
  await open.deliver(
    service.outgoing('mined', { transactionId: 'wd-1', memo: 'fee', balanceChanges }),
  );
  const amounts = [{ asset: AssetId(ETH), amount: Amount(30n) }];
  const { withdrawals } = await reads.mentions({ text: '30 wei', amounts }, 20);
  expect(withdrawals.map(({ transactionId }) => transactionId)).toEqual(['wd-1']);
});

test('a withdrawal that a number names comes once, before those that moved that much', async () => {
  const { open, reads, service } = await openStore();
  for (const [index, [name, memo, amount]] of [
    ['names and moved it', '30', '-30'],
    ['named by it', '30', '-7'],
    ['moved it', '1', '-30'],
    ['neither', '1', '-7'],
  ].entries()) {
    const balanceChanges = [change(amount ?? '')];
    const mined = { transactionId: name, memo, blockchainHash: `0x${index}`, balanceChanges };
    await open.deliver(service.outgoing('mined', mined));
  }
  const amounts = [{ asset: AssetId(ETH), amount: Amount(30n) }];
  const { withdrawals } = await reads.mentions({ text: '30', amounts }, 20);
  expect(withdrawals.map(({ transactionId }) => transactionId)).toEqual([
    'named by it',
    'names and moved it',
    'moved it',
  ]);
  const { withdrawals: first } = await reads.mentions({ text: '30', amounts }, 1);
  expect(first.map(({ transactionId }) => transactionId)).toEqual(['named by it']);
});
