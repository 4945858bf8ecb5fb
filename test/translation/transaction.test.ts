import { expect, test } from 'vitest';
import { transactionOf } from '../../src/translation/transaction.ts';
import { transactionRecord as wire } from '../../src/wire/transaction.ts';
import { AT_ADDRESS, change, onChain } from '../store/webhook.ts';

const ROW = {
  transactionId: 'tx-1',
  vaultId: 'v1',
  type: 'incoming',
  status: 'confirmed',
  network: 'ethereum',
  blockchainHash: '0xa1',
  confirmations: 7,
  createdAt: '2025-11-20T00:00:00.000Z',
  updatedAt: '2025-11-20T00:00:01.000Z',
};

function read(more: object) {
  return transactionOf(wire.parse({ ...ROW, ...more }));
}

test('a record without optional members is read, with null for each', () => {
  expect(read({})).toEqual({
    transactionId: 'tx-1',
    vaultId: 'v1',
    type: 'incoming',
    status: 'confirmed',
    orderId: null,
    network: 'ethereum',
    blockchainHash: '0xa1',
    accountId: null,
    addressId: null,
    destinationAddress: null,
    memo: null,
    confirmations: 7,
    changes: null,
    reasonCode: null,
    createdAt: Date.UTC(2025, 10, 20),
    updatedAt: Date.UTC(2025, 10, 20, 0, 0, 1),
  });
});

test.for([undefined, null, 'yesterday', 1_763_600_000_000])(
  'a creation time that cannot be read (%s) is left out',
  (createdAt) => {
    expect(read({ createdAt })).not.toHaveProperty('createdAt');
  },
);

test('an incoming record is where it says, or where its entry says', () => {
  const balanceChanges = [change('1', { ...AT_ADDRESS, memoInfo: { memo: 'bob' } })];
  expect(read({ balanceChanges })).toMatchObject({
    accountId: 'acc-1',
    addressId: 'adr-1',
    memo: 'bob',
  });
  const own = { accountId: 'acc-9', addressId: 'adr-9', memo: 'eve' };
  expect(read({ ...own, balanceChanges })).toMatchObject(own);
});

test.for<[why: string, more: object, networkAddress: string | undefined]>([
  [
    'its balance change at the position',
    {
      addressId: 'adr-2',
      destinationAddress: '0xdestination',
      balanceChanges: [change('1', onChain('0x1', 'adr-1')), change('2', onChain('0x2', 'adr-2'))],
    },
    '0x2',
  ],
  ['the position of its first change', { balanceChanges: [change('1', onChain('0x1'))] }, '0x1'],
  [
    'its destination without such a change',
    {
      addressId: 'adr-2',
      destinationAddress: '0xd',
      balanceChanges: [change('1', onChain('0x1'))],
    },
    '0xd',
  ],
  [
    'its destination where the change’s address cannot be one',
    { destinationAddress: '0xd', balanceChanges: [change('1', onChain('not an address'))] },
    '0xd',
  ],
  ['its destination without changes', { destinationAddress: '0xd' }, '0xd'],
  ['nothing', { balanceChanges: [change('1', AT_ADDRESS)] }, undefined],
  ['nothing of an outgoing record', { type: 'outgoing', destinationAddress: '0xd' }, undefined],
])('the on-chain address of a record is that of %s', ([_, more, networkAddress]) => {
  expect(read(more).networkAddress).toBe(networkAddress);
});

test('the entries of an outgoing record keep their level, and set no address of the record', () => {
  const translated = read({
    type: 'outgoing',
    addressId: 'adr-9',
    balanceChanges: [change('-1', { account: { id: 'acc-1' } })],
  });
  expect(translated).toMatchObject({ accountId: null, addressId: 'adr-9' });
  expect(translated.changes).toMatchObject([{ accountId: 'acc-1', addressId: null }]);
});

test('a status nobody knows stays as it came', () => {
  expect(read({ status: 'frozen' }).status).toBe('frozen');
});

test('an unreadable time counts as long ago: nothing hides in the grace period', () => {
  expect(read({ updatedAt: 'yesterday' }).updatedAt).toBe(0);
});
