import { describe, expect, test } from 'vitest';
import type { Deposit } from '../../../src/domain/deposit/deposit.ts';
import { takenBack } from '../../../src/domain/deposit/taken-back.ts';
import { EMPTY_HASH_STATE } from '../../../src/domain/hash/hash-state.ts';
import { newSighting } from '../../../src/domain/hash/sighting.ts';
import { AssetId, CreditId, DepositId, Memo } from '../../../src/domain/ids.ts';
import { balanceChange } from '../../store/evidence.ts';
import { runs } from '../hash/event-runs.ts';
import { DUE, postedBy, ruleContext } from '../records.ts';

const UNVERIFIED: Deposit = { ...DUE, verifiedAt: null, custodyConfirmations: 0 };
const CREDIT = {
  creditId: CreditId('crd_1'),
  amount: DUE.amount,
  creditedAt: 9,
  reference: null,
};
const CREDITED: Partial<Deposit> = { credit: CREDIT, creditsIssued: 1, state: 'credited' };

/** What follows when a person resolves the deposit's break; webhooks booked entry 5 for it. */
function decided(deposit: Partial<Deposit>, others: readonly Deposit[] = []): string[] {
  const one = { ...UNVERIFIED, ...deposit };
  const { network, blockchainHash, vaultId, accountId, addressId, memo } = one;
  const key = { network, blockchainHash, vaultId, accountId, addressId, memo };
  const sighting = {
    ...newSighting({ ...key, stream: 'incoming' }),
    seen: runs('confirmation:6:dep-tx'),
    entryId: 5,
    posted: [balanceChange(100n)],
  };
  const hashState = { ...EMPTY_HASH_STATE, sightings: [sighting], deposits: [one, ...others] };
  const { deposits, entries, items, found, healed } = takenBack(hashState, one, ruleContext());
  return [
    ...deposits.map((after) => `${after.depositId} ${after.state} ${after.evidence}`),
    ...postedBy(entries),
    ...items.map(({ kind, amount }) => `${kind} ${amount}`),
    ...found.map(({ type }) => `found ${type}`),
    ...healed.map(({ key: ended }) => `healed ${ended}`),
  ];
}

const SECOND: Deposit = {
  ...UNVERIFIED,
  depositId: DepositId('dep_2'),
  asset: AssetId('ethereum:USDC'),
};
const LEFT_BOOKS = ['dep_1 rolled_back none', 'incoming by webhook takes back 5: -100'];

describe('a person resolves the break of a deposit that the API does not know', () => {
  test.for<[why: string, deposit: Partial<Deposit>, others: Deposit[], is: string[]]>([
    ['an unverified deposit leaves the books', {}, [], LEFT_BOOKS],
    [
      'unverified deposits of one position leave the books together',
      {},
      [SECOND],
      [
        'dep_1 rolled_back none',
        'dep_2 rolled_back none',
        'incoming by webhook takes back 5: -100',
      ],
    ],
    ['a verified deposit stays', { verifiedAt: 5 }, [], []],
    ['a credited deposit stays', CREDITED, [], []],
    ['a verified deposit at its position keeps both', {}, [{ ...SECOND, verifiedAt: 5 }], []],
    ['a credited deposit at its position keeps both', {}, [{ ...SECOND, ...CREDITED }], []],
    [
      'a verified deposit at another memo keeps nothing',
      {},
      [{ ...SECOND, memo: Memo('7'), verifiedAt: 5 }],
      LEFT_BOOKS,
    ],
    [
      'a credited deposit that a webhook rolled back has its credit reversed',
      { ...CREDITED, evidence: 'none' },
      [],
      ['dep_1 reversed none', 'reversal 100'],
    ],
  ])('%s', ([, deposit, others, is]) => {
    expect(decided(deposit, others)).toEqual(is);
  });
});
