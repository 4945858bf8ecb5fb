import { describe, expect, test } from 'vitest';
import type { AddressMovement } from '../../../src/domain/chain/address-evidence.ts';
import {
  chainSighting,
  addressBreakKey,
  changesWith,
  compareAddressMovement,
  isAddressBreakOver,
  unexplainedIn,
} from '../../../src/domain/chain/address-comparison.ts';
import { Amount } from '../../../src/domain/money/amount.ts';
import type { Finding } from '../../../src/domain/break/break.ts';
import { EMPTY_HASH_STATE, type HashState } from '../../../src/domain/hash/hash-state.ts';
import { AddressId, AssetId } from '../../../src/domain/ids.ts';
import { newSighting } from '../../../src/domain/hash/sighting.ts';
import {
  NOW,
  GRACE_MS,
  vaultId,
  network,
  blockchainHash,
  moves,
  OLD,
  sighted,
  reported,
  elsewhere,
  other,
} from './address-list.ts';

const GRACE = { noticedAt: 0, grace: { at: NOW, graceMs: GRACE_MS } };
const SUBJECT = { vaultId, network, blockchainHash, transactionId: null, depositId: null };

function foundIn(movement: Partial<AddressMovement>, ours: HashState): Finding {
  const { outcome } = compareAddressMovement({ ...OLD, ...movement }, ours, {
    platform: 'unasked',
    ...GRACE,
  });
  if (outcome.kind !== 'break') throw new Error(`no break, but ${outcome.kind}`);
  return outcome.finding;
}

const REPORTED_106 = sighted('blockchain', { ...reported, posted: [moves(-106n)] });

describe('a difference at an address', () => {
  test('of an amount says where and what of both sides', () => {
    expect(foundIn({}, REPORTED_106)).toEqual({
      type: 'amount_mismatch',
      key: '["amount_mismatch","address","v1","ethereum","0x1","a1","ethereum:ETH"]',
      severity: 'critical',
      subject: { ...SUBJECT, asset: 'ethereum:ETH' },
      expected: -107n,
      actual: -106n,
      detail: 'at address a1 the custody API says -107 ethereum:ETH, the notifications say -106',
    });
  });

  test('of a rollback that never came says where', () => {
    expect(foundIn({ status: 'rolledback' }, REPORTED_106)).toEqual({
      type: 'status_mismatch',
      key: '["status_mismatch","address","v1","ethereum","0x1","a1",null]',
      severity: 'warning',
      subject: { ...SUBJECT, asset: null },
      expected: null,
      actual: null,
      detail:
        'the custody API says that 0x1 was rolled back at address a1, and no rollback arrived',
    });
  });

  const OF = { amount: {}, rollback: { status: 'rolledback' } } as const;
  const gone = sighted('blockchain', { epoch: 1, posted: [] });
  const right = sighted('blockchain', {
    ...reported,
    posted: [moves(-100n), moves(-7n), elsewhere],
  });
  const inOther = sighted('blockchain', { ...reported, vaultId: other, posted: [moves(-107n)] });
  const rolledBack = sighted('blockchain', { epoch: 1, posted: [moves(-107n)] });
  const beside = sighted('blockchain', { ...reported, posted: [elsewhere] });
  const nothing = { expected: Amount(0n) };
  const subject = { ...SUBJECT, asset: AssetId('ethereum:ETH') };

  const ENDS: [
    what: keyof typeof OF,
    why: string,
    found: Partial<Finding>,
    ours: HashState,
    over: boolean,
  ][] = [
    ['amount', 'still told so', {}, REPORTED_106, false],
    ['amount', 'told as the API says by now', {}, right, true],
    ['amount', 'in the chain view of another vault', {}, inOther, false],
    ['amount', 'of what was rolled back', {}, rolledBack, false],
    ['amount', 'of a hash that nobody told', {}, EMPTY_HASH_STATE, false],
    ['amount', 'none expected, and none told there any more', nothing, beside, true],
    ['amount', 'none expected, and the hash is gone', nothing, gone, false],
    ['amount', 'of no asset', { subject: { ...subject, asset: null } }, right, false],
    [
      'amount',
      'of no asset, and none expected',
      { ...nothing, subject: { ...subject, asset: null } },
      right,
      false,
    ],
    [
      'amount',
      'under a kind that no address has',
      { key: '["conservation","address","v1","ethereum","0x1","a1"]' },
      right,
      false,
    ],
    ['rollback', 'never came, and the hash stands', {}, REPORTED_106, false],
    ['rollback', 'came', {}, gone, true],
    ['rollback', 'of what nobody told', {}, EMPTY_HASH_STATE, true],
    ['rollback', 'that is not about an address', { key: '["status_mismatch","v1"]' }, gone, false],
    ...[
      ['under another mark', '["status_mismatch","x","v1","ethereum","0x1","a1"]'],
      ['without an address', '["status_mismatch","address","v1","ethereum","0x1",null]'],
      [
        'under the key of another vault',
        '["status_mismatch","address","v2","ethereum","0x1","a1"]',
      ],
      ['under the key of another network', '["status_mismatch","address","v1","x","0x1","a1"]'],
      ['under the key of another hash', '["status_mismatch","address","v1","ethereum","0x2","a1"]'],
    ].map(([why = '', key = '']): (typeof ENDS)[number] => ['rollback', why, { key }, gone, false]),
    ['rollback', 'of no vault', { subject: { ...subject, vaultId: null } }, gone, false],
    [
      'rollback',
      'of no vault, under a key of none',
      {
        subject: { ...subject, vaultId: null },
        key: '["status_mismatch","address",null,"ethereum","0x1","a1"]',
      },
      gone,
      false,
    ],
  ];

  test.for(ENDS)('of the %s %s is over or not', ([what, , found, ours, over]) => {
    expect(isAddressBreakOver({ ...foundIn(OF[what], REPORTED_106), ...found }, ours)).toBe(over);
  });
});

test('the chain view is the blockchain stream of the vault', () => {
  const of = (...hashStates: HashState[]): HashState => ({
    ...EMPTY_HASH_STATE,
    sightings: hashStates.flatMap(({ sightings }) => sightings),
  });
  const books = sighted('incoming', { entryId: 2 });
  const reportedElsewhere = sighted('blockchain', { ...reported, vaultId: other });
  const here = sighted('blockchain', reported);
  expect(chainSighting(of(books, reportedElsewhere, here), vaultId)).toBe(here.sightings[0]);
  expect(chainSighting(of(books, reportedElsewhere), vaultId)).toBeUndefined();
});

describe('the chain view with an address’s own list', () => {
  const coin = { ...moves(4n), asset: AssetId('ethereum:USDC') };
  const sighting = newSighting({
    network,
    blockchainHash,
    vaultId,
    stream: 'blockchain',
    accountId: null,
    addressId: null,
    memo: null,
  });

  test('replaces that address by the list, and keeps the others', () => {
    const had = { ...sighting, posted: [moves(-1n), elsewhere] };
    expect(changesWith(OLD, had)).toEqual([elsewhere, ...(OLD.changes ?? [])]);
    expect(changesWith({ ...OLD, changes: null }, had)).toEqual([elsewhere]);
    expect(changesWith(OLD, undefined)).toEqual(OLD.changes);
  });

  test('differs from books that know nothing of it, an asset at a time', () => {
    const movement = { ...OLD, changes: [moves(-100n), coin, moves(100n), { ...coin }] };
    const found = unexplainedIn(movement, { ...sighting, posted: [elsewhere] }, NOW);
    expect(found.map(({ subject, expected }) => [subject, expected])).toEqual([
      [{ ...SUBJECT, asset: 'ethereum:ETH' }, -900n],
      [{ ...SUBJECT, asset: 'ethereum:USDC' }, 8n],
    ]);
    expect(
      unexplainedIn({ ...OLD, changes: [moves(1n), moves(-1n), coin] }, undefined, NOW),
    ).toHaveLength(1);
  });

  test('differences of another kind, address or asset have another key', () => {
    const asset = AssetId('ethereum:ETH');
    const keys = [
      addressBreakKey('status_mismatch', OLD),
      addressBreakKey('amount_mismatch', OLD),
      addressBreakKey('amount_mismatch', OLD, asset),
      addressBreakKey('amount_mismatch', { ...OLD, addressId: AddressId('a2') }, asset),
      addressBreakKey('amount_mismatch', { ...OLD, vaultId: other }, asset),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });
});
