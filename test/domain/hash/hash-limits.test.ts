import { describe, expect, test } from 'vitest';
import {
  arrivedWeight,
  depositWeight,
  exceededHashLimit,
  HASH_WEIGHT_MAX,
  POSITION_DEPOSITS_MAX,
  sightingWeight,
} from '../../../src/domain/hash/hash-limits.ts';
import type { Deposit } from '../../../src/domain/deposit/deposit.ts';
import { EMPTY_HASH_STATE, type HashState } from '../../../src/domain/hash/hash-state.ts';
import {
  AccountId,
  AddressId,
  AssetId,
  Memo,
  TransactionId,
  VaultId,
} from '../../../src/domain/ids.ts';
import type { Notification } from '../../../src/domain/fact/notification.ts';
import type { EventRun } from '../../../src/domain/hash/event-history.ts';
import type { Withdrawal } from '../../../src/domain/withdrawal/withdrawal.ts';
import { balanceChange } from '../../store/evidence.ts';
import { incomingOf } from '../deposit/incoming/incoming.ts';
import { chainView, DUE, outgoing, withdrawal } from '../records.ts';

const TOO_LARGE = `blockchainHash: more than ${HASH_WEIGHT_MAX} records are known of it`;
const FULL = `balanceChanges: more than ${POSITION_DEPOSITS_MAX} deposits at one place`;

/** Without names, or with a name of no characters. */
const NAMELESS = { accountId: null, addressId: null, memo: null, asset: AssetId('') };
const WEIGHTLESS: Deposit = { ...DUE, ...NAMELESS };
const LONG = 'x'.repeat(500_000);
const HALF = HASH_WEIGHT_MAX / 2;

function limitDefect(some: Partial<HashState>, notification: Notification = outgoing('mined')) {
  const hashState = { ...EMPTY_HASH_STATE, ...some };
  return exceededHashLimit(hashState, arrivedWeight(hashState), notification);
}

function many<Item>(count: number, item: Item): Item[] {
  return Array.from({ length: count }, () => item);
}

function seen(transactionId: string): EventRun {
  const run = { type: 'transaction', source: 'webhook', from: null, to: null } as const;
  return { ...run, transactionId: TransactionId(transactionId) };
}

const own = { ...outgoing('mined'), network: DUE.network, blockchainHash: DUE.blockchainHash };
const ownHash = (transactionId: string) => ({
  network: own.network,
  blockchainHash: own.blockchainHash,
  transactionId: TransactionId(transactionId),
  certainty: 'claimed' as const,
});

describe('a hash takes no more', () => {
  const HASH_STATES: [of: string, most: Partial<HashState>, more: Partial<HashState>][] = [
    ['deposits', { deposits: many(HALF, DUE) }, { deposits: many(HASH_WEIGHT_MAX, DUE) }],
    [
      'places where something arrived',
      { sightings: many(HALF, chainView()) },
      { sightings: many(HASH_WEIGHT_MAX, chainView()) },
    ],
    [
      'changes in its chain views',
      { sightings: many(2, chainView({ posted: many(HALF / 2, balanceChange(1n)) })) },
      { sightings: many(2, chainView({ posted: many(HALF, balanceChange(1n)) })) },
    ],
    [
      'changes of withdrawals',
      { withdrawals: [withdrawal('mined', many(HALF, balanceChange(1n)))] },
      { withdrawals: [withdrawal('mined', many(HASH_WEIGHT_MAX, balanceChange(1n)))] },
    ],
    [
      'own transactions',
      { ownHashes: many(HALF, ownHash('tx-1')) },
      { ownHashes: many(HASH_WEIGHT_MAX, ownHash('tx-1')) },
    ],
    [
      'events, ten of which weigh as one',
      { sightings: [chainView({ seen: many(HASH_WEIGHT_MAX, seen('tx-1')) })] },
      { sightings: [chainView({ seen: many(HASH_WEIGHT_MAX * 10, seen('tx-1')) })] },
    ],
    [
      'long names of events',
      { sightings: [chainView({ seen: many(15, seen(LONG)) })] },
      { sightings: [chainView({ seen: many(20, seen(LONG)) })] },
    ],
    [
      'long names of deposits',
      { deposits: many(15, { ...DUE, addressId: AddressId(LONG) }) },
      { deposits: many(20, { ...DUE, addressId: AddressId(LONG) }) },
    ],
    [
      'long names of withdrawals',
      { withdrawals: many(15, { ...withdrawal('mined'), destinationAddress: LONG }) },
      { withdrawals: many(20, { ...withdrawal('mined'), destinationAddress: LONG }) },
    ],
    [
      'long names of own transactions',
      { ownHashes: many(15, ownHash(LONG)) },
      { ownHashes: many(20, ownHash(LONG)) },
    ],
  ];

  test.for(HASH_STATES)('with too many %s', ([_, most, more]) => {
    expect([limitDefect(most), limitDefect(more)]).toEqual([null, TOO_LARGE]);
  });
});

test('a hash takes 10,000 records, and not one more', () => {
  expect(limitDefect({ ownHashes: many(10_000, ownHash('')) })).toBeNull();
  expect(limitDefect({ ownHashes: many(10_001, ownHash('')) })).toBe(TOO_LARGE);
  expect(limitDefect({ ownHashes: many(9_999, ownHash('')), deposits: [WEIGHTLESS] })).toBeNull();
  expect(limitDefect({ ownHashes: many(10_000, ownHash('')), deposits: [WEIGHTLESS] })).toBe(
    TOO_LARGE,
  );
});

describe('a thousand characters weigh as much as a record', () => {
  const thousand = 'x'.repeat(1_000);
  const [accountId, addressId] = [AccountId(thousand), AddressId(thousand)];
  const [memo, asset, transactionId] = [Memo(thousand), AssetId(thousand), TransactionId(thousand)];
  const emptyView = chainView({ vaultId: VaultId('') });
  const sent = { ...withdrawal('mined', []), transactionId: TransactionId('') };

  test.for<[of: string, more: Partial<Deposit>]>([
    ['an account', { accountId }],
    ['an address', { addressId }],
    ['a memo', { memo }],
    ['an asset', { asset }],
  ])('of a deposit: %s', ([, more]) => {
    expect(depositWeight(WEIGHTLESS)).toBe(1);
    expect(depositWeight({ ...WEIGHTLESS, ...more })).toBe(2);
  });

  test.for<[of: string, more: Parameters<typeof chainView>[0], weight: number]>([
    ['nothing', {}, 1],
    ['a vault', { vaultId: VaultId(thousand) }, 2],
    ['an address', { addressId }, 2],
    ['a transaction of its events, ten of which weigh a record', { seen: [seen(thousand)] }, 2.1],
    ['ten events', { seen: many(10, seen('')) }, 2],
    ['a change and its memo', { posted: [balanceChange(1n, { ...NAMELESS, memo })] }, 3],
  ])('of a sighting: %s', ([, more, weight]) => {
    expect(sightingWeight({ ...emptyView, ...more })).toBeCloseTo(weight, 9);
  });

  test.for<[of: string, more: Partial<Withdrawal>]>([
    ['a transaction', { transactionId }],
    ['an order', { orderId: thousand }],
    ['a destination', { destinationAddress: thousand }],
    ['an account', { accountId }],
    ['an address', { addressId }],
    ['a memo', { memo }],
    ['a change without names', { posted: [balanceChange(1n, NAMELESS)] }],
  ])('of a withdrawal, which weighs two records: %s', ([, more]) => {
    const takes = (arrived: number, one: Withdrawal): boolean => {
      const hashState = { ...EMPTY_HASH_STATE, withdrawals: [one] };
      return exceededHashLimit(hashState, arrived, outgoing('mined')) === null;
    };
    expect([takes(9_998, sent), takes(9_999, sent)]).toEqual([true, false]);
    const longer = { ...sent, ...more };
    expect([takes(9_997, longer), takes(9_998, longer)]).toEqual([true, false]);
  });
});

describe('a position takes', () => {
  const named = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, at) => AssetId(`ethereum:C${from + at}`));
  const deposits = (assets: AssetId[]) => assets.map((asset): Deposit => ({ ...DUE, asset }));
  const confirmationOf = (assets: AssetId[]) =>
    incomingOf(assets.map((asset) => balanceChange(1n, { asset })));

  const ELSEWHERE: [what: string, other: Partial<Deposit>][] = [
    ['another address', { addressId: null }],
    ['another account', { accountId: null }],
    ['another memo', { memo: Memo('bob') }],
    ['another vault', { vaultId: VaultId('v2') }],
  ];

  const POSITIONS: [what: string, Partial<HashState>, Notification, string | null][] = [
    [
      'as many changes as a withdrawal has, which makes no deposits',
      {},
      outgoing('mined', {
        changes: named(0, 1_001).map((asset) => balanceChange(-1n, { asset })),
      }),
      null,
    ],
    [
      'as many deposits',
      { deposits: deposits(named(0, 600)) },
      confirmationOf(named(600, 1_000)),
      null,
    ],
    [
      'not one more',
      { deposits: deposits(named(0, 600)) },
      confirmationOf(named(600, 1_001)),
      FULL,
    ],
    [
      'what is known again',
      { deposits: deposits(named(0, 1_000)) },
      confirmationOf(named(1, 900)),
      null,
    ],
    ['no word about too many', { deposits: deposits(named(0, 1_001)) }, incomingOf(null), FULL],
    ...ELSEWHERE.map(([what, other]): [string, Partial<HashState>, Notification, string | null] => [
      `nothing of what ${what} holds`,
      { deposits: deposits(named(0, 1_000)).map((one) => ({ ...one, ...other })) },
      confirmationOf(named(1_000, 1_400)),
      null,
    ]),
  ];

  test.for(POSITIONS)('%s', ([_, hashState, notification, defect]) => {
    expect(limitDefect(hashState, notification)).toBe(defect);
  });
});
