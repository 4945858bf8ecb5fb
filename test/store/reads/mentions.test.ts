import { expect, test } from 'vitest';
import { AssetId } from '../../../src/domain/ids.ts';
import { Amount } from '../../../src/domain/money/amount.ts';
import { verifyWith } from '../evidence.ts';
import { change } from '../webhook.ts';
import { openStore } from './open-store.ts';

const ETH = 'ethereum:ETH';
const THIRTY = [{ asset: AssetId(ETH), amount: Amount(30n) }];

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
  const { withdrawals } = await reads.mentions({ text: '30 wei', amounts: THIRTY }, 20);
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
  const { withdrawals } = await reads.mentions({ text: '30 wei', amounts: THIRTY }, 20);
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
  const { withdrawals } = await reads.mentions({ text: '30', amounts: THIRTY }, 20);
  expect(withdrawals.map(({ transactionId }) => transactionId)).toEqual([
    'named by it',
    'names and moved it',
    'moved it',
  ]);
  const { withdrawals: first } = await reads.mentions({ text: '30', amounts: THIRTY }, 1);
  expect(first.map(({ transactionId }) => transactionId)).toEqual(['named by it']);
});

test('deposits are found by each name, and by the consumer’s reference of their credit', async () => {
  const { open, reads, service } = await openStore();
  await open.deliver(service.confirmed(6));
  await verifyWith(open);
  await open.decide({ kind: 'acknowledge', creditId: open.lastCreditId(), reference: 'r-1' });
  const { transaction_id: transactionId, blockchain_hash: credited } = open.deposit();
  await open.deliver(
    service.confirmed(1, {
      blockchainHash: '0x2',
      transactionId: 'dep-2',
      vaultId: 'v2',
      accountId: 'acc-2',
    }),
    service.incoming('mempool', {
      blockchainHash: '0x3',
      transactionId: 'dep-3',
      addressId: 'adr-3',
    }),
    service.confirmed(1, { blockchainHash: '0x4', transactionId: 'dep-4', memo: '88' }),
  );
  const attributed = open.deposits().find(({ blockchain_hash: hash }) => hash === '0x4');
  await open.decide({
    kind: 'attribute',
    depositId: attributed?.deposit_id as never,
    attributedTo: 'customer 7',
    endsApprovals: true,
    reason: 'their ticket',
  });
  for (const [text, hash] of [
    ['customer 7', '0x4'],
    ['88', '0x4'],
    ['adr-3', '0x3'],
    ['acc-2', '0x2'],
    [transactionId, credited],
    ['r-1', credited],
    ['nobody', undefined],
  ]) {
    const { deposits } = await reads.mentions({ text: text ?? '', amounts: [] }, 20);
    expect([text, deposits.map(({ blockchainHash }) => blockchainHash)]).toEqual([
      text,
      hash === undefined ? [] : [hash],
    ]);
  }
});

test('deposits of an amount hide no deposit that the number names, and each comes once', async () => {
  const { open, reads, service } = await openStore();
  await open.deliver(
    service.confirmed(1, { blockchainHash: '0x1', memo: '30', balanceChanges: [change('7')] }),
    service.confirmed(1, { blockchainHash: '0x2', memo: '30', balanceChanges: [change('30')] }),
    service.confirmed(1, { blockchainHash: '0x3', balanceChanges: [change('30')] }),
    service.confirmed(1, { blockchainHash: '0x4', balanceChanges: [change('30')] }),
    service.confirmed(1, { blockchainHash: '0x5', balanceChanges: [change('7')] }),
  );
  const mentioned = { text: '30', amounts: THIRTY };
  for (const [limit, found] of [
    [20, '0x2 0x1 0x4 0x3'],
    [1, '0x2 0x4'],
  ] as const) {
    const { deposits } = await reads.mentions(mentioned, limit);
    expect(deposits.map(({ blockchainHash }) => blockchainHash).join(' ')).toBe(found);
  }
});
