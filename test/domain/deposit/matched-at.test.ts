import { expect, test } from 'vitest';
import type { Deposit } from '../../../src/domain/deposit/deposit.ts';
import { CreditId } from '../../../src/domain/ids.ts';
import { balanceChange } from '../../store/evidence.ts';
import { DUE } from '../records.ts';
import { decided, FORGED, USDC, type Given } from './record/correcting.ts';

/** The record matches, and was journalled before. */
const CREDITED: Partial<Deposit> = {
  ...DUE,
  credit: { creditId: CreditId('crd_1'), amount: DUE.amount, reference: null, creditedAt: 7 },
  creditsIssued: 1,
  state: 'credited',
};
const MATCHING = { posted: [balanceChange(100n)], since: null };

/** The times of the match of the deposits that change, decided at 99. */
test.for<[why: string, given: Given, matchedAt: (number | null)[]]>([
  ['a match', { deposit: { amount: DUE.amount }, ...MATCHING }, [null]],
  ['a match that expires', { deposit: { amount: DUE.amount }, ...MATCHING, expires: true }, [99]],
  ['a correction', {}, [null]],
  ['a correction whose match expires', { expires: true }, [99]],
  [
    'such a correction, without the asset in the record',
    { deposit: { asset: USDC }, posted: [{ ...FORGED, asset: USDC }], expires: true },
    [null, 99],
  ],
  ['the first match that expires', { deposit: CREDITED, ...MATCHING, expires: true }, [99]],
  ['a later one', { deposit: { ...CREDITED, matchedAt: 50 }, ...MATCHING, expires: true }, []],
  ['one that does not', { deposit: { ...CREDITED, matchedAt: 50 }, ...MATCHING }, []],
  ['neither', { deposit: CREDITED, ...MATCHING }, []],
])('%s', ([, given, matchedAt]) => {
  expect(decided(given).deposits.map((one) => one.matchedAt)).toEqual(matchedAt);
});
