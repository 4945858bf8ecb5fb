import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/translation/json-reader.ts';
import { readNotification } from '../../src/translation/notification.ts';
import { OUTGOING_TYPES } from '../../src/wire/notification.ts';
import { AT_ADDRESS, change, Service } from '../store/webhook.ts';

const service = new Service();

function read(body: object) {
  const told = readNotification(JSON.parse(JSON.stringify(body)) as JsonObject);
  if ('flaws' in told) throw new Error(JSON.stringify(told.flaws));
  return told.notification;
}

describe('the receiving position of an incoming notification', () => {
  const BOB = { memoInfo: { memo: 'bob' } };

  /** What the notification says itself, what its first entry says, and where it is. */
  const PLACES: [why: string, own: object, entry: object, place: (string | null)[]][] = [
    ['named by itself', {}, {}, ['acc-1', 'adr-1', null]],
    [
      'named by its entry alone',
      { accountId: null, addressId: null },
      AT_ADDRESS,
      ['acc-1', 'adr-1', null],
    ],
    ['its own word first', {}, { address: { id: 'adr-x' } }, ['acc-1', 'adr-1', null]],
    ['named by nobody', { accountId: null, addressId: null }, {}, [null, null, null]],
    ['its memo', { memo: 'bob' }, {}, ['acc-1', 'adr-1', 'bob']],
    ['the memo of its entry alone', {}, BOB, ['acc-1', 'adr-1', 'bob']],
    ['an empty memo is none', { memo: '' }, {}, ['acc-1', 'adr-1', null]],
  ];

  test.for(PLACES)('%s', ([_, own, entry, place]) => {
    const told = read(service.confirmed(1, { ...own, balanceChanges: [change('1', entry)] }));
    expect(told).toMatchObject({ accountId: place[0], addressId: place[1], memo: place[2] });
  });

  test('its entries are at it unless they say otherwise', () => {
    const told = read(
      service.confirmed(1, {
        balanceChanges: [change('1'), change('2', { address: { id: 'adr-x' } })],
      }),
    );
    expect(told.changes?.map(({ addressId }) => addressId)).toEqual(['adr-1', 'adr-x']);
  });
});

test.for(OUTGOING_TYPES)('outgoing %s is read, and only `mined` brings balance changes', (type) => {
  const body = service.outgoing(type, { balanceChanges: [change('-1')] });
  const told = read(body);
  expect(told).toMatchObject({
    stream: 'outgoing',
    type,
    transactionId: 'wd-tx',
    orderId: 'order-1',
  });
  expect(told.changes === null).toBe(type !== 'mined');
});

test('entries of `mined` keep their own level and take none from the transaction', () => {
  const told = read(
    service.outgoing('mined', {
      accountId: 'acc-1',
      addressId: 'adr-1',
      balanceChanges: [change('-1')],
    }),
  );
  expect(told.changes).toMatchObject([{ accountId: null, addressId: null }]);
});

test.for(['transaction', 'mempool', 'confirmation', 'rollback'] as const)(
  'blockchain %s is read; changes come on transaction and mempool alone',
  (type) => {
    const told = read(service.chain(type, { balanceChanges: [change('1')] }));
    expect(told).toMatchObject({ stream: 'blockchain', type });
    expect(told.changes !== null).toBe(type === 'transaction' || type === 'mempool');
  },
);

test('what is left out is null, never undefined', () => {
  const { transactionId: _, accountId: __, ...bare } = service.incoming('rollback');
  expect(Object.values(read(bare)).includes(undefined as never)).toBe(false);
  expect(
    Object.values(read(service.outgoing('failed', { blockchainHash: null }))).includes(
      undefined as never,
    ),
  ).toBe(false);
});
