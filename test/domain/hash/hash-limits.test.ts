import { describe, expect, test } from 'vitest';
import {
  arrivedWeight,
  exceededHashLimit,
  HASH_WEIGHT_MAX,
  POSITION_DEPOSITS_MAX,
} from '../../../src/domain/hash/hash-limits.ts';
import type { Deposit } from '../../../src/domain/deposit/deposit.ts';
import { EMPTY_HASH_STATE, type HashState } from '../../../src/domain/hash/hash-state.ts';
import { AddressId, AssetId, TransactionId } from '../../../src/domain/ids.ts';
import type { Notification } from '../../../src/domain/fact/notification.ts';
import type { EventRun } from '../../../src/domain/hash/event-history.ts';
import { balanceChange } from '../../store/evidence.ts';
import { incomingOf } from '../deposit/incoming.ts';
import { chainView, DUE, outgoing, withdrawal } from '../records.ts';

const CROWDED = `blockchainHash: more than ${HASH_WEIGHT_MAX} records are known of it`;
const FULL = `balanceChanges: more than ${POSITION_DEPOSITS_MAX} deposits at one place`;

const LONG = 'x'.repeat(500_000);
const HALF = HASH_WEIGHT_MAX / 2;

function crowd(some: Partial<HashState>, notification: Notification = outgoing('mined')) {
  const hashState = { ...EMPTY_HASH_STATE, ...some };
  return exceededHashLimit(hashState, arrivedWeight(hashState), notification);
}

function many<Item>(count: number, item: Item): Item[] {
  return Array.from({ length: count }, () => item);
}

function seen(transactionId: string): EventRun {
  const told = { type: 'transaction', source: 'webhook', from: null, to: null } as const;
  return { ...told, transactionId: TransactionId(transactionId) };
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
    expect([crowd(most), crowd(more)]).toEqual([null, CROWDED]);
  });
});

describe('a position takes', () => {
  const named = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, at) => AssetId(`ethereum:C${from + at}`));
  const deposits = (assets: AssetId[]) => assets.map((asset): Deposit => ({ ...DUE, asset }));
  const told = (assets: AssetId[]) =>
    incomingOf(assets.map((asset) => balanceChange(1n, { asset })));

  const PLACES: [what: string, Partial<HashState>, Notification, string | null][] = [
    ['as many deposits', { deposits: deposits(named(0, 600)) }, told(named(600, 1_000)), null],
    ['not one more', { deposits: deposits(named(0, 600)) }, told(named(600, 1_001)), FULL],
    ['what is known again', { deposits: deposits(named(0, 1_000)) }, told(named(1, 900)), null],
    ['no word about too many', { deposits: deposits(named(0, 1_001)) }, incomingOf(null), FULL],
    [
      'nothing of what other places hold',
      { deposits: deposits(named(0, 1_000)).map((one) => ({ ...one, addressId: null })) },
      told(named(1_000, 1_400)),
      null,
    ],
  ];

  test.for(PLACES)('%s', ([_, hashState, notification, defect]) => {
    expect(crowd(hashState, notification)).toBe(defect);
  });
});
