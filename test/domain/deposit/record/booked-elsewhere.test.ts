import { expect, test } from 'vitest';
import type { Deposit } from '../../../../src/domain/deposit/deposit.ts';
import { Amount } from '../../../../src/domain/money/amount.ts';
import { AccountId, AddressId, AssetId, DepositId, Memo } from '../../../../src/domain/ids.ts';
import { isCorrected } from '../../../../src/domain/hash/sighting.ts';
import { balanceChange } from '../../../store/evidence.ts';
import { DUE } from '../../records.ts';
import { decided, outcomeOf, USDC, type Given } from './correcting.ts';

const MEMO = Memo('7');
const HERE = balanceChange(100n);
const AT_MEMO = balanceChange(100n, { memo: MEMO });
const FEE = balanceChange(-1n, { kind: 'fee' });
const ELSEWHERE = balanceChange(100n, { addressId: AddressId('adr-2') });

/** The amount that the record shows, under its id. */
const TRUE: Partial<Deposit> = { amount: DUE.amount };
const HELD: Partial<Deposit> = {
  ...TRUE,
  unattributed: true,
  state: 'held',
  reason: 'unattributed_memo',
};

const SEVEN = balanceChange(7n, { asset: USDC });
const BOTH = { changes: [HERE, SEVEN] };
const UNCONFIRMED: Deposit = {
  ...DUE,
  depositId: DepositId('dep_2'),
  asset: USDC,
  amount: Amount(7n),
  evidence: 'mempool',
  state: 'detected',
};

const CONFIRMED: Deposit = { ...UNCONFIRMED, evidence: 'confirmed', state: 'confirming' };

/** Without a break on record: the sums agree, so none was ever opened. */
function given(more: Given): Given {
  return { deposit: TRUE, since: null, ...more };
}

const CREDITED = 'credited 100 ethereum:ETH dep-tx';
const BOTH_CREDITED = [
  CREDITED,
  'credited 7 ethereum:USDC dep-tx',
  'incoming by api takes back 5: -100',
  'incoming by api: 100 7',
  'credit 100',
  'credit 7',
];
const FOUND = 'unknown_to_custody null null corrected';

test.for<[why: string, given: Given, is: string[]]>([
  [
    'at another address, the books follow the record and a break says so',
    { posted: [ELSEWHERE] },
    [CREDITED, 'incoming by api takes back 5: -100', 'incoming by api: 100', 'credit 100', FOUND],
  ],
  [
    'at another account, likewise',
    { posted: [{ ...HERE, accountId: AccountId('acc-2') }] },
    [CREDITED, 'incoming by api takes back 5: -100', 'incoming by api: 100', 'credit 100', FOUND],
  ],
  [
    'at a memo that the record does not attribute, it is held',
    { memo: MEMO, posted: [AT_MEMO] },
    [
      'held unattributed_memo 100 ethereum:ETH dep-tx',
      'incoming by api takes back 5: -100',
      'incoming by api: 100',
      'unattributed_memo null null',
    ],
  ],
  [
    'at such a memo, and with another fee, it is held too',
    { memo: MEMO, posted: [AT_MEMO, FEE] },
    ['held unattributed_memo 100 ethereum:ETH dep-tx', 'unattributed_memo null null'],
  ],
  [
    'beside a memo that the record attributes, it is credited',
    { deposit: HELD, memo: MEMO, posted: [HERE], record: { changes: [AT_MEMO] } },
    [CREDITED, 'incoming by api takes back 5: -100', 'incoming by api: 100', 'credit 100'],
  ],
  [
    'without another asset that the record shows, both are credited and a break says so',
    { posted: [HERE], record: BOTH },
    [...BOTH_CREDITED, 'amount_mismatch 7 0 corrected'],
  ],
  [
    'without another asset that is seen in the mempool, likewise',
    { posted: [HERE], others: [UNCONFIRMED], record: BOTH },
    BOTH_CREDITED,
  ],
  [
    'with both assets and another fee, the sums differ: nothing is booked again',
    { posted: [HERE, SEVEN, FEE], others: [CONFIRMED], record: BOTH },
    [CREDITED, 'credit 100'],
  ],
  [
    'without an active entry, a backfill books the other asset',
    { posted: [], entryId: null, record: BOTH },
    [CREDITED, 'credit 100'],
  ],
  [
    'without a mint that the record shows, nothing is credited beside it',
    { posted: [HERE], record: { changes: [HERE, { ...SEVEN, kind: 'mint' }] } },
    [CREDITED, 'credit 100'],
  ],
  [
    'entry by entry, nothing differs',
    { posted: [balanceChange(70n), balanceChange(30n)] },
    [CREDITED, 'credit 100'],
  ],
  [
    'with another fee, the sums differ: the movement’s comparison says so',
    { posted: [ELSEWHERE, FEE] },
    [CREDITED, 'credit 100'],
  ],
  [
    'with a fee of zero, nothing differs',
    { posted: [HERE, balanceChange(0n, { kind: 'fee' })] },
    [CREDITED, 'credit 100'],
  ],
  [
    'without the tag of change, it is internal and nothing is booked again',
    { posted: [HERE], record: { changes: [{ ...HERE, kind: 'change' }] } },
    ['internal 100 ethereum:ETH dep-tx'],
  ],
  [
    'with a fee and a rebate that cancel each other, the books follow the record',
    { posted: [HERE, FEE, balanceChange(1n, { kind: 'rebate' })] },
    [
      CREDITED,
      'incoming by api takes back 5: -100 1 -1',
      'incoming by api: 100',
      'credit 100',
      'amount_mismatch null null corrected',
    ],
  ],
  [
    'with such entries of another asset, likewise',
    {
      posted: [HERE, { ...FEE, asset: USDC }, balanceChange(1n, { asset: USDC, kind: 'mint' })],
    },
    [
      CREDITED,
      'incoming by api takes back 5: -100 1 -1',
      'incoming by api: 100',
      'credit 100',
      'amount_mismatch null null corrected',
    ],
  ],
  [
    'with another amount of another asset beside a fee of it, its own comparison says so',
    {
      posted: [HERE, balanceChange(8n, { asset: USDC }), { ...FEE, asset: USDC }],
      others: [CONFIRMED],
      record: BOTH,
    },
    [CREDITED, 'credit 100'],
  ],
  [
    'with an entry of another asset, the sums differ too',
    { posted: [HERE, balanceChange(1n, { asset: AssetId('ethereum:USDC'), kind: 'mint' })] },
    [CREDITED, 'credit 100'],
  ],
  [
    'without an active entry, there is nothing to move',
    { posted: [], entryId: null },
    [CREDITED, 'credit 100'],
  ],
])('a matching deposit that webhooks booked %s', ([, more, is]) => {
  expect(outcomeOf(given(more))).toEqual(is);
});

test('a record that is still in the mempool moves nothing', () => {
  const deposit: Partial<Deposit> = { ...TRUE, evidence: 'mempool', state: 'detected' };
  const { entries, outcome } = decided(
    given({ deposit, posted: [ELSEWHERE], record: { status: 'mempool' } }),
  );
  expect([outcome.kind, entries]).toEqual(['matched', []]);
});

test('the correction ends the word of webhooks in this epoch', () => {
  const { sightings } = decided(given({ posted: [ELSEWHERE] }));
  expect(sightings.map((one) => [one.posted, isCorrected(one)])).toEqual([[[HERE], true]]);
});
