import { describe, expect, test } from 'vitest';
import { AccountId, AddressId, BlockchainHash, Memo, NetworkKey } from '../../../src/domain/ids.ts';
import type { OutgoingEvent, OutgoingNotification } from '../../../src/domain/fact/notification.ts';
import {
  advances,
  awaitsConfirmation,
  isTerminal,
  knownStatus,
  newWithdrawal,
  statusOf,
  withOutgoingEvent,
  type CustodyKnowledge,
  type Withdrawal,
  type WithdrawalStatus,
} from '../../../src/domain/withdrawal/withdrawal.ts';
import { outgoing, withdrawal } from '../records.ts';

const NAMED = {
  orderId: 'order-1',
  network: NetworkKey('ethereum'),
  accountId: AccountId('acc-1'),
  addressId: AddressId('adr-1'),
  destinationAddress: '0xdead',
  memo: Memo('bob'),
};
const OTHERWISE = {
  orderId: 'order-2',
  network: NetworkKey('polygon'),
  accountId: AccountId('acc-2'),
  addressId: AddressId('adr-2'),
  destinationAddress: '0xbeef',
  memo: Memo('eve'),
};

function withdrawalAfter(...events: readonly OutgoingNotification[]): Withdrawal {
  const [first] = events;
  if (first === undefined) throw new Error('nothing was told');
  return events.reduce(
    (before, one, at) => withOutgoingEvent(before, one, at),
    newWithdrawal(first, 0),
  );
}

describe('what an event makes of a status (spec, "Outgoing stream")', () => {
  const STATUSES: [event: OutgoingEvent, status: string | null][] = [
    ['approval-pending', 'approval-pending'],
    ['approved', null],
    ['pending', 'requested'],
    ['requested', 'requested'],
    ['inited', 'inited'],
    ['to-sign', 'to-sign'],
    ['signed', 'signed'],
    ['submitted', 'submitted'],
    ['mined', 'mined'],
    ['warning', null],
    ['cancelled', 'cancelled'],
    ['failed', 'failed'],
    ['rolledback', 'rolledback'],
    ['replaced', 'replaced'],
  ];

  test.for(STATUSES)('%s: %s', ([type, status]) => {
    expect(statusOf(type)).toBe(status);
    expect(withdrawalAfter(outgoing(type)).status).toBe(status);
  });

  test('an informational event moves nothing, not even from nothing', () => {
    expect(advances(null, null)).toBe(false);
    expect(
      withdrawalAfter(outgoing('signed'), outgoing('approved'), outgoing('warning')).status,
    ).toBe('signed');
  });

  test.for([
    ['mined', true],
    ['failed', true],
    ['cancelled', true],
    ['replaced', true],
    ['rolledback', true],
    ['approval-pending', false],
    ['requested', false],
    ['inited', false],
    ['to-sign', false],
    ['signed', false],
    ['submitted', false],
    [null, false],
  ] as const)('%s ends a transaction: %s', ([status, ends]) => {
    expect(isTerminal(withdrawal(status))).toBe(ends);
  });

  test.for(['pending', 'approved', 'warning', 'confirmed', 'toString', ''])(
    'the API’s status %o is none that we know',
    (status) => {
      expect(knownStatus(status)).toBeUndefined();
    },
  );
});

test.for<[status: WithdrawalStatus | null, custody: CustodyKnowledge, awaits: boolean]>([
  ['mined', 'unasked', true],
  ['mined', 'doubted', true],
  ['mined', 'known', false],
  ['mined', 'unknown', false],
  ['cancelled', 'unasked', true],
  ['submitted', 'unasked', false],
  ['submitted', 'doubted', false],
  [null, 'unasked', false],
])('%s and %s: it awaits the custody API’s confirmation of its end: %s', (row) => {
  const [status, custody, awaits] = row;
  expect(awaitsConfirmation({ ...withdrawal(status), custody })).toBe(awaits);
});

test('a transaction known from one event is asked about, and has nothing in the books', () => {
  expect(newWithdrawal(outgoing('submitted', { ...NAMED, reasonCode: 'x' }), 7)).toEqual({
    ...NAMED,
    transactionId: 'wd-tx',
    vaultId: 'v1',
    blockchainHash: null,
    status: null,
    reasonCode: null,
    entryId: null,
    posted: [],
    custody: 'unasked',
    firstSeenAt: 7,
    updatedAt: 7,
  });
});

describe('what a transaction is', () => {
  test('is kept as it was named first', () => {
    const first = withdrawalAfter(outgoing('requested', NAMED), outgoing('signed', OTHERWISE));
    expect(first).toMatchObject(NAMED);
    expect(withdrawalAfter(outgoing('requested', NAMED), outgoing('signed'))).toMatchObject(NAMED);
  });

  test('may be named later', () => {
    expect(withdrawalAfter(outgoing('requested'), outgoing('signed', NAMED))).toMatchObject(NAMED);
  });

  test('changed last at its last event', () => {
    expect(
      withdrawalAfter(outgoing('requested'), outgoing('signed'), outgoing('approved')).updatedAt,
    ).toBe(2);
  });

  const A = BlockchainHash('0xa1');
  const B = BlockchainHash('0xb2');
  const HASHES: [events: [OutgoingEvent, BlockchainHash | null][], hash: BlockchainHash | null][] =
    [
      [[['requested', null]], null],
      [[['submitted', A]], A],
      [
        [
          ['submitted', A],
          ['submitted', B],
        ],
        A,
      ],
      [
        [
          ['submitted', A],
          ['mined', B],
        ],
        B,
      ],
      // A transaction that failed on chain failed under its last hash.
      [
        [
          ['submitted', A],
          ['failed', B],
        ],
        B,
      ],
      // `replaced` may name the replacement's hash.
      [
        [
          ['submitted', A],
          ['replaced', B],
        ],
        A,
      ],
      // A `mined` that comes late moves nothing.
      [
        [
          ['mined', A],
          ['mined', B],
        ],
        A,
      ],
      [
        [
          ['rolledback', A],
          ['mined', B],
        ],
        A,
      ],
    ];

  test.for(HASHES)('after the events %j it has the hash %s', ([events, hash]) => {
    const after = withdrawalAfter(
      ...events.map(([type, blockchainHash]) => outgoing(type, { blockchainHash })),
    );
    expect(after.blockchainHash).toBe(hash);
  });
});

describe('the reason', () => {
  const REASONS: [why: string, events: [OutgoingEvent, string | null][], reason: string | null][] =
    [
      ['of a warning is shown', [['warning', 'insufficient_balance']], 'insufficient_balance'],
      ['of a cancellation is shown', [['cancelled', 'order_expired']], 'order_expired'],
      [
        'of a pause is over when the transaction goes on',
        [
          ['warning', 'insufficient_balance'],
          ['signed', null],
        ],
        null,
      ],
      [
        'of a pause is not over by an approval',
        [
          ['warning', 'insufficient_balance'],
          ['approved', null],
        ],
        'insufficient_balance',
      ],
      [
        'of an end stays, whatever comes late',
        [
          ['cancelled', 'order_expired'],
          ['signed', null],
        ],
        'order_expired',
      ],
    ];

  test.for(REASONS)('%s', ([, events, reason]) => {
    const after = withdrawalAfter(
      ...events.map(([type, reasonCode]) => outgoing(type, { reasonCode })),
    );
    expect(after.reasonCode).toBe(reason);
  });
});
