import { describe, expect, test } from 'vitest';
import { followBurnedFees } from '../../../src/domain/withdrawal/burned-fee.ts';
import {
  changeSet,
  EMPTY_HASH_STATE,
  type KeyedHashState,
} from '../../../src/domain/hash/hash-state.ts';
import { AssetId, BlockchainHash, TransactionId, VaultId } from '../../../src/domain/ids.ts';
import type { Withdrawal, WithdrawalStatus } from '../../../src/domain/withdrawal/withdrawal.ts';
import { balanceChange } from '../../store/evidence.ts';
import { chainView, ruleContext, DUE, postedBy, withdrawal } from '../records.ts';

const { network, blockchainHash } = DUE;
const TRANSFER = balanceChange(-30n);
const FEE = balanceChange(-2n, { kind: 'fee' });
const REBATE = balanceChange(1n, { kind: 'rebate' });
const MINT = balanceChange(4n, { kind: 'mint' });
const MORE = balanceChange(-3n, { kind: 'fee' });
const TOKEN = AssetId('ethereum:USDC');
const OTHER_HASH = BlockchainHash('0xb2');
const OTHER_VAULT = VaultId('v2');

function named(id: string, status: WithdrawalStatus, more: Partial<Withdrawal> = {}): Withdrawal {
  return { ...withdrawal(status, []), transactionId: TransactionId(id), ...more };
}

/** Its entry is 5. */
function booked(id: string, more: Partial<Withdrawal> = {}): Withdrawal {
  return named(id, 'failed', { entryId: 5, posted: [FEE], ...more });
}

function hashOf(more: Partial<KeyedHashState> = {}): KeyedHashState {
  return { ...EMPTY_HASH_STATE, network, blockchainHash, ...more };
}

const VIEW = chainView({ entryId: 4, posted: [TRANSFER, FEE] });
const NO_VIEW = chainView();
const A = named('wd-a', 'failed');
const B = named('wd-b', 'failed');

/** What follows where the chain view's record, as it is before, is said to have changed. */
function follow(more: Partial<KeyedHashState>): string[] {
  const hash = hashOf({ sightings: [VIEW], ...more });
  const sightings = hash.sightings.filter(({ stream }) => stream === 'blockchain');
  const { entries } = followBurnedFees(changeSet({ sightings }), [hash], ruleContext());
  return entries.map((entry) => `${entry.transactionId} ${postedBy([entry]).join()}`);
}

describe('the fee that failed transactions burned', () => {
  const POSTED = 'wd-a failed-fee by webhook: -2';
  const TAKEN_BACK = 'wd-a failed-fee by webhook takes back 5: 2';
  const incoming = chainView({ stream: 'incoming', entryId: 3, posted: [FEE] });
  const mined = named('wd-c', 'mined', { entryId: 3, posted: [TRANSFER, FEE] });

  test.for<[why: string, hash: Partial<KeyedHashState>, entries: string[]]>([
    ['is the chain view’s fee alone', { withdrawals: [A] }, [POSTED]],
    [
      'is every fee entry of it',
      { withdrawals: [A], sightings: [chainView({ posted: [FEE, MORE] })] },
      // Of one position: a line.
      ['wd-a failed-fee by webhook: -5'],
    ],
    [
      'is booked with the rebate and the mint that came with it',
      { withdrawals: [A], sightings: [chainView({ posted: [TRANSFER, FEE, REBATE, MINT] })] },
      ['wd-a failed-fee by webhook: -2 1 4'],
    ],
    ['is none where the chain view has none', { withdrawals: [A], sightings: [NO_VIEW] }, []],
    ['is booked for the first by id', { withdrawals: [B, A] }, [POSTED]],
    ['is booked for the first by id in whatever order', { withdrawals: [A, B] }, [POSTED]],
    ['stays where it is booked', { withdrawals: [A, booked('wd-b')] }, []],
    [
      'goes with the chain view',
      { withdrawals: [booked('wd-a'), B], sightings: [NO_VIEW] },
      [TAKEN_BACK],
    ],
    [
      'gives way to another where it is booked',
      { withdrawals: [A, booked('wd-b')], sightings: [chainView({ posted: [MORE] })] },
      ['wd-b failed-fee by webhook takes back 5: 2', 'wd-b failed-fee by webhook: -3'],
    ],
    [
      'is taken back where it is booked twice',
      { withdrawals: [booked('wd-b', { entryId: 6 }), booked('wd-a')] },
      ['wd-b failed-fee by webhook takes back 6: 2'],
    ],
    [
      'is of the first that the API does not deny',
      { withdrawals: [{ ...A, custody: 'unknown' }, B] },
      ['wd-b failed-fee by webhook: -2'],
    ],
    [
      'leaves one that the API denies for another',
      { withdrawals: [booked('wd-a', { custody: 'unknown' }), B] },
      [TAKEN_BACK, 'wd-b failed-fee by webhook: -2'],
    ],
    ['is none of one that the API denies', { withdrawals: [{ ...A, custody: 'unknown' }] }, []],
    ['is none of one that did not fail', { withdrawals: [named('wd-a', 'replaced')] }, []],
    ['is none of one in another vault', { withdrawals: [{ ...A, vaultId: OTHER_VAULT }] }, []],
    ['is none where a mined one tells it', { withdrawals: [A, mined] }, []],
    [
      'is taken back where a mined one tells it',
      { withdrawals: [booked('wd-a'), mined] },
      [TAKEN_BACK],
    ],
    [
      'is none where a mined one tells another',
      { withdrawals: [A, { ...mined, posted: [MORE] }] },
      [],
    ],
    [
      'is booked beside a mined one that tells none',
      { withdrawals: [A, { ...mined, posted: [TRANSFER] }] },
      [POSTED],
    ],
    [
      'is booked beside a mined one that tells one of another asset',
      { withdrawals: [A, { ...mined, posted: [{ ...FEE, asset: TOKEN }] }] },
      [POSTED],
    ],
    [
      'is booked beside a mined one of another vault',
      { withdrawals: [A, { ...mined, vaultId: OTHER_VAULT }] },
      [POSTED],
    ],
    ['is none where a receipt tells it', { withdrawals: [A], sightings: [VIEW, incoming] }, []],
    [
      'is booked beside a receipt in another vault',
      { withdrawals: [A], sightings: [VIEW, { ...incoming, vaultId: OTHER_VAULT }] },
      [POSTED],
    ],
  ])('%s', ([, hash, entries]) => {
    expect(follow(hash)).toEqual(entries);
  });
});

describe('what follows from a decision', () => {
  test('is nothing where no transaction failed', () => {
    const decided = changeSet({ sightings: [VIEW], withdrawals: [named('wd-a', 'submitted')] });
    expect(followBurnedFees(decided, [hashOf()], ruleContext())).toBe(decided);
  });

  test('is nothing where no record changed, nor one of the vault', () => {
    const hash = hashOf({ sightings: [VIEW], withdrawals: [A] });
    const elsewhere = changeSet({ sightings: [{ ...VIEW, vaultId: OTHER_VAULT }] });
    for (const decided of [changeSet({}), elsewhere]) {
      expect(followBurnedFees(decided, [hash], ruleContext())).toBe(decided);
    }
  });

  test('is decided by the records after it', () => {
    const hash = hashOf({ sightings: [NO_VIEW], withdrawals: [A] });
    const decided = changeSet({ sightings: [VIEW], withdrawals: [named('wd-a', 'replaced'), B] });
    const { sightings, withdrawals, entries } = followBurnedFees(decided, [hash], ruleContext());
    expect(sightings).toEqual([VIEW]);
    expect(withdrawals).toEqual([
      named('wd-a', 'replaced'),
      { ...B, entryId: 7000000, posted: [FEE] },
    ]);
    expect(postedBy(entries)).toEqual(['failed-fee by webhook: -2']);
  });

  test('is booked beside what was decided, for a record that it left alone too', () => {
    const hash = hashOf({ sightings: [VIEW], withdrawals: [booked('wd-a'), B] });
    const gone = named('wd-a', 'mined', { blockchainHash: OTHER_HASH });
    const { withdrawals } = followBurnedFees(
      changeSet({ withdrawals: [gone] }),
      [hash],
      ruleContext(),
    );
    expect(withdrawals).toEqual([gone, { ...B, entryId: 7000000, posted: [FEE] }]);
  });

  test('is followed in the vault that a transaction was in before', () => {
    const hash = hashOf({ sightings: [VIEW], withdrawals: [booked('wd-a'), B] });
    const moved = named('wd-a', 'failed', { vaultId: OTHER_VAULT });
    const { entries } = followBurnedFees(
      changeSet({ withdrawals: [moved] }),
      [hash],
      ruleContext(),
    );
    expect(entries.map(({ transactionId }) => transactionId)).toEqual(['wd-b']);
  });

  test('is none of what another hash burned', () => {
    const hash = hashOf({ blockchainHash: OTHER_HASH, withdrawals: [A] });
    const decided = changeSet({ sightings: [VIEW] });
    expect(followBurnedFees(decided, [hash], ruleContext())).toBe(decided);
  });

  test('is none at a hash that has neither the view nor the transaction', () => {
    const hash = hashOf({ blockchainHash: OTHER_HASH, withdrawals: [] });
    const decided = changeSet({ sightings: [VIEW], withdrawals: [A] });
    expect(followBurnedFees(decided, [hash], ruleContext())).toBe(decided);
  });
});
