import { describe, expect, test } from 'vitest';
import type { CustodyTransaction } from '../../../../src/domain/fact/custody-record.ts';
import { handleUnseenRecord } from '../../../../src/domain/deposit/record/verification.ts';
import type { Deposit } from '../../../../src/domain/deposit/deposit.ts';
import { EMPTY_HASH_STATE, type HashState } from '../../../../src/domain/hash/hash-state.ts';
import { TransactionId, VaultId } from '../../../../src/domain/ids.ts';
import { newSighting, type Sighting } from '../../../../src/domain/hash/sighting.ts';
import { balanceChange, received } from '../../../store/evidence.ts';
import { runs } from '../../hash/event-runs.ts';
import { DUE } from '../../records.ts';
import { AT, now } from './rule-context.ts';

describe('an incoming transaction that no deposit answers to', () => {
  const sighting: Sighting = {
    ...newSighting({
      network: DUE.network,
      blockchainHash: DUE.blockchainHash,
      vaultId: DUE.vaultId,
      stream: 'incoming',
      accountId: DUE.accountId,
      addressId: DUE.addressId,
      memo: null,
    }),
    entryId: 1,
    posted: [balanceChange(3n, { kind: 'rebate' })],
    seen: runs('confirmation:1:dep-tx'),
  };
  const REBATE = { changes: [balanceChange(3n, { kind: 'rebate' })] };
  const HEALED = [
    'healed missing_notification dep-tx',
    'healed status_mismatch dep-tx',
    'healed amount_mismatch dep-tx',
  ];
  const MISSING = ['found missing_notification', ...HEALED.slice(1)];
  const TAKEN_BACK = ['found status_mismatch', ...HEALED.slice(0, 1), ...HEALED.slice(2)];

  function hashState(deposit: Partial<Deposit>): HashState {
    return { ...EMPTY_HASH_STATE, deposits: [{ ...DUE, ...deposit }] };
  }
  function seen(more: Partial<Sighting> = {}): HashState {
    return { ...EMPTY_HASH_STATE, sightings: [{ ...sighting, ...more }] };
  }

  const UNSEEN: [
    why: string,
    ours: HashState,
    record: Partial<CustodyTransaction>,
    is: string[],
  ][] = [
    ['nothing is known', EMPTY_HASH_STATE, {}, ['break', ...MISSING]],
    ['its deposit has come', hashState({}), {}, ['matched', ...HEALED]],
    [
      'another vault has a deposit of the transaction',
      hashState({ vaultId: VaultId('v2') }),
      {},
      ['break', ...MISSING],
    ],
    [
      'another transaction of the hash has a deposit at the place',
      hashState({ transactionId: TransactionId('x') }),
      {},
      ['break', ...MISSING],
    ],
    [
      'its deposit has come, at another place',
      hashState({ addressId: null }),
      {},
      ['matched', ...HEALED],
    ],
    [
      'a deposit without a transaction is at the place',
      hashState({ transactionId: null }),
      {},
      ['matched', ...HEALED],
    ],
    [
      'a deposit without a transaction is at another place',
      hashState({ transactionId: null, addressId: null }),
      {},
      ['break', ...MISSING],
    ],
    ['a rebate, and nothing is known', EMPTY_HASH_STATE, REBATE, ['break', ...MISSING]],
    ['a rebate that is booked', seen(), REBATE, ['matched', ...HEALED]],
    [
      'a rebate that is booked in another vault',
      seen({ vaultId: VaultId('v2') }),
      REBATE,
      ['break', ...MISSING],
    ],
    [
      'a rebate that the chain view alone has',
      seen({ stream: 'blockchain' }),
      REBATE,
      ['break', ...MISSING],
    ],
    ['a rebate that was taken back', seen({ entryId: null }), REBATE, ['break', ...MISSING]],
    [
      'a rebate of another transaction',
      seen({ seen: runs('confirmation:1:x') }),
      REBATE,
      ['break', ...MISSING],
    ],
    ['a receipt at a place where an entry stands', seen(), {}, ['break', ...MISSING]],
    ['changes are omitted', seen(), { changes: null }, ['skipped']],
    [
      'a rebate that is booked with another amount',
      seen({ posted: [balanceChange(5n, { kind: 'rebate' })] }),
      REBATE,
      ['break', 'found amount_mismatch', ...HEALED.slice(0, 2)],
    ],
    [
      'rolled back, and nothing is known',
      EMPTY_HASH_STATE,
      { status: 'rolledback' },
      ['matched', ...HEALED],
    ],
    [
      'a booked rebate was rolled back',
      seen(),
      { ...REBATE, status: 'rolledback' },
      ['break', ...TAKEN_BACK],
    ],
    [
      'a booked rebate was rolled back a moment ago',
      seen(),
      { ...REBATE, status: 'rolledback', updatedAt: AT - 9 },
      ['skipped'],
    ],
    ...['failed', 'frozen'].flatMap((status): typeof UNSEEN => [
      [`a booked rebate is ${status}`, seen(), { ...REBATE, status }, ['break', ...TAKEN_BACK]],
      [
        `a booked rebate is ${status} since a moment ago`,
        seen(),
        { ...REBATE, status, updatedAt: AT - 9 },
        ['skipped'],
      ],
    ]),
    ['a booked rebate is in the mempool', seen(), { ...REBATE, status: 'mempool' }, ['skipped']],
    [
      'a rebate was rolled back, and is booked no more',
      seen({ entryId: null }),
      { ...REBATE, status: 'rolledback' },
      ['matched', ...HEALED],
    ],
    ['a moment ago', EMPTY_HASH_STATE, { updatedAt: AT - 9 }, ['skipped']],
    ['past the grace', EMPTY_HASH_STATE, { updatedAt: AT - 10 }, ['break', ...MISSING]],
  ];

  test.for(UNSEEN)('%s', ([, ours, record, is]) => {
    const { outcome, found, healed } = handleUnseenRecord(ours, {
      record: received(record),
      graceMs: 10,
      now: now(),
    });
    expect([
      outcome.kind,
      ...found.map(({ type }) => `found ${type}`),
      ...healed.map(({ key }) => `healed ${(JSON.parse(key) as string[]).join(' ')}`),
    ]).toEqual(is);
  });
});
