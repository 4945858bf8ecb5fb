import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/translation/json-reader.ts';
import { readNotification } from '../../src/translation/notification.ts';
import { OUTGOING_TYPES } from '../../src/wire/event-names.ts';
import { AT_ADDRESS, change, onChain, Service, type ChangeBody } from '../store/webhook.ts';

const service = new Service();

function read(body: object) {
  const translated = readNotification(JSON.parse(JSON.stringify(body)) as JsonObject);
  if ('flaws' in translated) throw new Error(JSON.stringify(translated.flaws));
  return translated.notification;
}

describe('the receiving position of an incoming notification', () => {
  const BOB = { memoInfo: { memo: 'bob' } };

  /** What the notification says itself, what its first entry says, and where it is. */
  const POSITIONS: [why: string, own: object, entry: object, position: (string | null)[]][] = [
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

  test.for(POSITIONS)('%s', ([_, own, entry, position]) => {
    const translated = read(service.confirmed(1, { ...own, balanceChanges: [change('1', entry)] }));
    expect(translated).toMatchObject({
      accountId: position[0],
      addressId: position[1],
      memo: position[2],
    });
  });

  test.for<[why: string, entries: ChangeBody[], networkAddress: string | null]>([
    ['as its entry writes it', [change('1', onChain('0xAb'))], '0xAb'],
    [
      'of its own entry',
      [change('1', onChain('0xcd', 'adr-x')), change('2', onChain('0xAb'))],
      '0xAb',
    ],
    ['in no entry', [change('1', AT_ADDRESS)], null],
    ['of another address only', [change('1', onChain('0xcd', 'adr-x'))], null],
    ['which is empty', [change('1', onChain(''))], null],
    ['which is too long for any network', [change('1', onChain('a'.repeat(201)))], null],
    ['which could not be stored', [change('1', onChain('0xAb\0'))], null],
  ])('its address on the chain, %s', ([_, balanceChanges, networkAddress]) => {
    expect(read(service.confirmed(1, { balanceChanges }))).toMatchObject({ networkAddress });
  });

  test('its entries are at it unless they say otherwise', () => {
    const translated = read(
      service.confirmed(1, {
        balanceChanges: [change('1'), change('2', { address: { id: 'adr-x' } })],
      }),
    );
    expect(translated.changes?.map(({ addressId }) => addressId)).toEqual(['adr-1', 'adr-x']);
  });
});

test.for(OUTGOING_TYPES)('outgoing %s is read, and only `mined` brings balance changes', (type) => {
  const body = service.outgoing(type, { balanceChanges: [change('-1')] });
  const translated = read(body);
  expect(translated).toMatchObject({
    stream: 'outgoing',
    type,
    transactionId: 'wd-tx',
    orderId: 'order-1',
  });
  expect(translated.changes === null).toBe(type !== 'mined');
});

test('entries of `mined` keep their own level and take none from the transaction', () => {
  const translated = read(
    service.outgoing('mined', {
      accountId: 'acc-1',
      addressId: 'adr-1',
      balanceChanges: [change('-1')],
    }),
  );
  expect(translated.changes).toMatchObject([{ accountId: null, addressId: null }]);
});

test.for(['transaction', 'mempool', 'confirmation', 'rollback'] as const)(
  'blockchain %s is read; changes come on transaction and mempool alone',
  (type) => {
    const translated = read(service.chain(type, { balanceChanges: [change('1')] }));
    expect(translated).toMatchObject({ stream: 'blockchain', type });
    expect(translated.changes !== null).toBe(type === 'transaction' || type === 'mempool');
  },
);

test.for([{}, { type: null }, { type: '' }, { type: 'native' }, { type: 'erc20' }])(
  'the decimals of an asset count, whatever its type is: %j',
  (type) => {
    const amountFormatted = { asset: { name: 'coin', decimals: 8, ...type }, value: '0' };
    const translated = read(
      service.confirmed(1, { balanceChanges: [change('1', { amountFormatted })] }),
    );
    expect(translated.changes).toMatchObject([{ amount: 1n, decimals: 8 }]);
  },
);

test('an absent member is null, never undefined', () => {
  const { transactionId: _, accountId: __, ...bare } = service.incoming('rollback');
  expect(Object.values(read(bare)).includes(undefined as never)).toBe(false);
  expect(
    Object.values(read(service.outgoing('failed', { blockchainHash: null }))).includes(
      undefined as never,
    ),
  ).toBe(false);
});
