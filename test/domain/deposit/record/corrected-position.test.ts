import { describe, expect, test } from 'vitest';
import { Amount } from '../../../../src/domain/money/amount.ts';
import type { Deposit } from '../../../../src/domain/deposit/deposit.ts';
import { AccountId, AddressId, DepositId, Memo } from '../../../../src/domain/ids.ts';
import type { BalanceChange } from '../../../../src/domain/fact/notification.ts';
import { balanceChange } from '../../../store/evidence.ts';
import { DUE } from '../../records.ts';
import { decided, FORGED, NOBODY, outcomeOf, USDC, type Given } from './correcting.ts';

const MEMO = Memo('7');
const SEVEN = balanceChange(7n, { asset: USDC });
const BOTH = { changes: [balanceChange(100n), SEVEN] };

/** 7 USDC at the position of the deposit, verified six deep. */
const BESIDE: Deposit = {
  ...DUE,
  depositId: DepositId('dep_2'),
  asset: USDC,
  amount: Amount(7n),
};
const GONE: Deposit = { ...BESIDE, evidence: 'none', state: 'rolled_back' };

/** Webhooks reported only the other asset; the record shows 100 ETH without a webhook. */
const UNPAID: Given = { deposit: { asset: USDC }, posted: [{ ...FORGED, asset: USDC }] };

/** The right amount under the id of another transaction. */
const MISNAMED: Given = {
  deposit: { amount: DUE.amount, transactionId: NOBODY },
  posted: [balanceChange(100n)],
};

describe('a correction reaches every deposit at the position of the record', () => {
  const CREDITED = 'credited 100 ethereum:ETH dep-tx';
  const FOUND = 'amount_mismatch 100 9000 corrected';

  test.for<[why: string, given: Given, is: string[]]>([
    [
      'another asset there, with what the record received of it',
      { others: [BESIDE], record: BOTH, posted: [FORGED, SEVEN] },
      [
        CREDITED,
        'credited 7 ethereum:USDC dep-tx',
        'incoming by api takes back 5: -9000 -7',
        'incoming by api: 100 7',
        'credit 100',
        'credit 7',
        FOUND,
      ],
    ],
    [
      'another asset there that no notification named by its transaction',
      { others: [{ ...BESIDE, transactionId: null }], record: BOTH, posted: [FORGED, SEVEN] },
      [
        CREDITED,
        'credited 7 ethereum:USDC dep-tx',
        'incoming by api takes back 5: -9000 -7',
        'incoming by api: 100 7',
        'credit 100',
        'credit 7',
        FOUND,
      ],
    ],
    [
      'one that was rolled back, where the record shows it',
      { others: [GONE], record: BOTH },
      [
        CREDITED,
        'credited 7 ethereum:USDC dep-tx',
        'incoming by api takes back 5: -9000',
        'incoming by api: 100 7',
        'credit 100',
        'credit 7',
        FOUND,
      ],
    ],
    [
      'none that was rolled back and that the record does not show',
      { others: [GONE] },
      [
        CREDITED,
        'incoming by api takes back 5: -9000',
        'incoming by api: 100',
        'credit 100',
        FOUND,
      ],
    ],
    [
      'none at another address',
      { others: [{ ...BESIDE, addressId: AddressId('adr-2') }] },
      [
        CREDITED,
        'incoming by api takes back 5: -9000',
        'incoming by api: 100',
        'credit 100',
        FOUND,
      ],
    ],
    [
      'and makes no deposit of what moved at another address or account',
      {
        record: {
          changes: [
            balanceChange(100n),
            { ...SEVEN, addressId: AddressId('adr-2') },
            { ...SEVEN, accountId: AccountId('acc-2') },
          ],
        },
      },
      [
        CREDITED,
        'incoming by api takes back 5: -9000',
        'incoming by api: 100 7 7',
        'credit 100',
        FOUND,
      ],
    ],
    [
      'one without a transaction, of an asset that the record does not show',
      { ...UNPAID, deposit: { asset: USDC, transactionId: null } },
      [
        'verifying 0 ethereum:USDC dep-tx',
        CREDITED,
        'incoming by api takes back 5: -9000',
        'incoming by api: 100',
        'credit 100',
        'amount_mismatch 100 0 corrected',
      ],
    ],
    [
      'and only reports, once the position is as the record has it',
      {
        deposit: { asset: USDC, amount: Amount(0n) },
        others: [{ ...DUE, depositId: DepositId('dep_2') }],
        posted: [balanceChange(100n)],
      },
      ['unknown_to_custody 0 0'],
    ],
  ])('%s', ([, given, is]) => {
    expect(outcomeOf(given)).toEqual(is);
  });

  test('a deposit that the record does not show is not verified', () => {
    const [emptied] = decided(UNPAID).deposits;
    expect(emptied).toMatchObject({ amount: 0n, verifiedAt: null, custodyConfirmations: 0 });
  });

  test('a deposit that the record does not show stays held for its memo', () => {
    const deposit = { asset: USDC, unattributed: true };
    const [emptied] = decided({ ...UNPAID, deposit, memo: MEMO }).deposits;
    expect(emptied).toMatchObject({ asset: USDC, state: 'held', reason: 'unattributed_memo' });
  });

  test.for<[why: string, given: Given, posted: number[], active: number]>([
    ['the new entry, after a reversal', {}, [7_000_000, 7_000_001], 7_000_001],
    ['the new entry, where none was active', { entryId: null, posted: [] }, [7_000_000], 7_000_000],
    ['the old entry, where it says the same', MISNAMED, [], 5],
  ])('the active entry of the position is %s', ([, given, posted, active]) => {
    const { entries, sightings } = decided(given);
    expect(entries.map((one) => one.entryId)).toEqual(posted);
    expect(sightings.map((one) => one.entryId)).toEqual([active]);
  });
});

describe('decimals in the record that corrects', () => {
  const decimals = (count: number | null): { changes: BalanceChange[] } => ({
    changes: [balanceChange(100n, { decimals: count })],
  });

  test.for<[why: string, given: Given, changed: boolean]>([
    ['are left out', { record: decimals(null), pinned: 18 }, false],
    ['are the first of the asset', { record: decimals(6) }, false],
    ['are the known ones', { record: decimals(18), pinned: 18 }, false],
    ['are others, and the amount changes', { record: decimals(6), pinned: 18 }, true],
    ['are others, and only the id changes', { ...MISNAMED, record: decimals(6), pinned: 18 }, true],
    [
      'are others that a webhook told, and only the id changes: a person released them',
      { ...MISNAMED, posted: decimals(6).changes, record: decimals(6), pinned: 18 },
      false,
    ],
    [
      'are others that a webhook told, and only the id changes: nobody has released them',
      {
        ...MISNAMED,
        deposit: { ...MISNAMED.deposit, decimalsChanged: true },
        posted: decimals(6).changes,
        record: decimals(6),
        pinned: 18,
      },
      true,
    ],
    [
      'are left out, where a webhook told others',
      { deposit: { decimalsChanged: true }, record: decimals(null), pinned: 18 },
      true,
    ],
    [
      'are the first of the asset, where a webhook told others',
      { deposit: { decimalsChanged: true }, record: decimals(6) },
      true,
    ],
  ])('%s', ([, given, changed]) => {
    expect(decided(given).deposits.map((one) => one.decimalsChanged)).toEqual([changed]);
  });
});

describe('what a correction says', () => {
  const FOLLOWS =
    'the deposit follows the custody API now: find out who sent the notifications' as const;

  test.for<[why: string, given: Given, key: string, detail: string]>([
    [
      'another amount',
      {},
      '["amount_mismatch","dep_1","corrected"]',
      `the custody API says 100 ethereum:ETH, the notifications said 9000; ${FOLLOWS}`,
    ],
    [
      'another id',
      MISNAMED,
      '["unknown_to_custody","dep_1","corrected"]',
      `the custody API knows the transaction as dep-tx, the notifications named it nobody; ${FOLLOWS}`,
    ],
  ])('of %s is its outcome too', ([, given, key, detail]) => {
    const { found, outcome } = decided(given);
    expect(found.map((one) => [one.key, one.detail])).toEqual([[key, detail]]);
    expect(outcome).toEqual({ kind: 'break', finding: found[0] });
  });

  test.for<[why: string, posted: BalanceChange[], key: string, detail: string]>([
    [
      'other fee, rebate or mint entries',
      [
        balanceChange(100n),
        balanceChange(-1n, { kind: 'fee' }),
        balanceChange(1n, { kind: 'rebate' }),
      ],
      '["amount_mismatch","dep_1","corrected"]',
      'the custody API shows other fee, rebate or mint entries beside 100 ethereum:ETH than the notifications; the books follow the custody API now: find out who sent the notifications',
    ],
    [
      'another address in the books',
      [balanceChange(100n, { addressId: AddressId('adr-2') })],
      '["unknown_to_custody","dep_1","corrected"]',
      'the custody API shows 100 ethereum:ETH at this position, the notifications booked it at another account or address; the books follow the custody API now: find out who sent the notifications',
    ],
  ])('of %s is a break of its own', ([, posted, key, detail]) => {
    const { found } = decided({ deposit: { amount: DUE.amount }, posted, since: null });
    expect(found.map((one) => [one.key, one.detail])).toEqual([[key, detail]]);
  });

  test('of a deposit that the record does not show is the difference itself', () => {
    const others = [{ ...DUE, depositId: DepositId('dep_2') }];
    const { found, outcome } = decided({ ...UNPAID, others });
    expect(found).toEqual([]);
    expect(outcome).toMatchObject({
      kind: 'break',
      finding: { type: 'unknown_to_custody', key: '["unknown_to_custody","dep_1"]' },
    });
  });

  const OWN = [
    '["unknown_to_custody","dep_1"]',
    '["amount_mismatch","dep_1"]',
    '["status_mismatch","dep_1"]',
    '["amount_changed","dep_1"]',
    '["missing_notification","dep-tx"]',
  ];

  test.for<[why: string, given: Given, heals: string[]]>([
    ['under the id that it had', {}, OWN],
    ['under another id', MISNAMED, [...OWN, '["missing_notification","nobody"]']],
    ['without an id', { deposit: { transactionId: null } }, OWN],
  ])('resolves the breaks of the deposit %s', ([, given, heals]) => {
    const { healed } = decided(given);
    const own = healed.filter(({ key }) => !key.includes('"address"'));
    expect(new Set(own.map(({ key }) => key))).toEqual(new Set(heals));
    expect(new Set(own.map(({ reason }) => reason))).toEqual(
      new Set(['corrected by the custody API’s record']),
    );
  });

  test('leaves the breaks open of a deposit that the record does not show', () => {
    const keys = decided(UNPAID).healed.map(({ key }) => key);
    expect(keys.filter((key) => key.includes('"dep_1"'))).toEqual([]);
    expect(keys).toContain('["missing_notification","dep-tx"]');
  });
});
