import { describe, expect, test } from 'vitest';
import { Amount } from '../../../../src/domain/money/amount.ts';
import {
  compareDeposit,
  custodyReceived,
  foundIn,
  isMisnamed,
  isRecordOf,
  isRenamed,
  mayCorrect,
} from '../../../../src/domain/deposit/record/comparison.ts';
import type { CustodyTransaction } from '../../../../src/domain/fact/custody-record.ts';
import type { Deposit } from '../../../../src/domain/deposit/deposit.ts';
import {
  AccountId,
  AddressId,
  AssetId,
  BlockchainHash,
  CreditId,
  Memo,
  NetworkKey,
  TransactionId,
  VaultId,
} from '../../../../src/domain/ids.ts';
import type { BalanceChange } from '../../../../src/domain/fact/notification.ts';
import { balanceChange, received } from '../../../store/evidence.ts';
import { LATE, shownOutcome } from '../../outcome.ts';
import { DUE } from '../../records.ts';

const MEMPOOL: Partial<Deposit> = { evidence: 'mempool', confirmations: 0, state: 'detected' };
const GONE: Partial<Deposit> = { evidence: 'none', confirmations: 0, state: 'rolled_back' };
const CREDIT = {
  creditId: CreditId('crd_1'),
  amount: Amount(100n),
  creditedAt: 9,
  reference: null,
};
const YOUNG = { updatedAt: LATE.at - 1 };

test.for<[record: Partial<CustodyTransaction>, is: boolean]>([
  [{}, true],
  [{ changes: [balanceChange(99n)] }, true],
  [{ changes: [balanceChange(100n, { asset: AssetId('ethereum:USDC') })] }, false],
  [{ changes: [balanceChange(100n, { addressId: AddressId('adr-2') })] }, false],
  [{ changes: [] }, false],
  [{ changes: null }, true],
  [{ status: 'rolledback', updatedAt: CREDIT.creditedAt }, true],
  [{ status: 'rolledback', updatedAt: CREDIT.creditedAt - 1 }, false],
  [{ addressId: AddressId('adr-2') }, false],
  [{ addressId: AddressId('adr-2'), status: 'rolledback', updatedAt: LATE.at }, false],
  [{ blockchainHash: BlockchainHash('0xb2') }, false],
])('a record %o under another id is the deposit’s: %s', ([record, is]) => {
  const renamed = received({ transactionId: TransactionId('renamed'), ...record });
  expect(isRenamed({ ...DUE, credit: CREDIT }, renamed)).toBe(is);
  const unverified = { ...DUE, verifiedAt: null };
  expect(isRenamed(unverified, renamed)).toBe(is && record.status !== 'rolledback');
});

test.for([
  [5, true],
  [4, false],
] as const)(
  'a record that was rolled back at %s under another id is the deposit’s that was verified at 5: %s',
  ([updatedAt, is]) => {
    const renamed = { transactionId: TransactionId('renamed'), status: 'rolledback', updatedAt };
    expect(isRenamed({ ...DUE, verifiedAt: 5 }, received(renamed))).toBe(is);
  },
);

describe('a deposit against the custody API’s record', () => {
  const TABLE: [ours: Partial<Deposit>, record: Partial<CustodyTransaction> | null, is: string][] =
    [
      [{}, {}, 'matched'],
      [{}, null, 'critical unknown_to_custody 100'],
      [{}, { vaultId: VaultId('v2') }, 'critical unknown_to_custody 100'],
      [{}, { changes: [balanceChange(99n)] }, 'critical amount_mismatch 1'],
      [{}, { changes: [balanceChange(101n)] }, 'critical amount_mismatch -1'],
      [{}, { changes: [] }, 'critical unknown_to_custody 100'],
      [{}, { changes: null }, 'skipped: balance_changes_pending'],
      [{}, { status: 'mempool' }, 'skipped: custody_behind'],
      [MEMPOOL, { status: 'mempool' }, 'matched'],
      [GONE, { status: 'mempool' }, 'skipped: custody_behind'],
      [{ ...GONE, credit: CREDIT }, { status: 'mempool', updatedAt: 9 }, 'matched'],
      [
        { ...GONE, credit: CREDIT },
        { status: 'mempool', updatedAt: 8 },
        'critical status_mismatch',
      ],
      [{ ...GONE, credit: CREDIT, ...YOUNG }, { status: 'mempool' }, 'skipped: custody_behind'],
      [{ credit: CREDIT }, { status: 'mempool' }, 'critical status_mismatch'],
      [{ credit: CREDIT, ...YOUNG }, { status: 'mempool' }, 'skipped: custody_behind'],
      [{ state: 'internal' }, { status: 'mempool' }, 'warning status_mismatch'],
      [{ state: 'internal', ...YOUNG }, { status: 'mempool' }, 'skipped: custody_behind'],
      [MEMPOOL, {}, 'warning missing_notification'],
      [MEMPOOL, YOUNG, 'skipped: in_grace'],
      [GONE, {}, 'warning status_mismatch'],
      [{ ...GONE, credit: CREDIT }, {}, 'critical status_mismatch'],
      [GONE, { status: 'rolledback' }, 'matched'],
      [{}, { status: 'rolledback' }, 'warning status_mismatch'],
      [{ credit: CREDIT }, { status: 'rolledback' }, 'critical status_mismatch'],
      [{}, { status: 'rolledback', ...YOUNG }, 'skipped: in_grace'],
      [{}, { status: 'failed' }, 'skipped: unknown_status'],
      [{ credit: CREDIT }, { status: 'failed' }, 'critical status_mismatch'],
      [{ credit: CREDIT }, { status: 'failed', ...YOUNG }, 'skipped: unknown_status'],
      [{ ...GONE, credit: CREDIT }, { status: 'failed' }, 'skipped: unknown_status'],
      [{ state: 'internal' }, { status: 'failed' }, 'warning status_mismatch'],
      [{ state: 'internal' }, { status: 'failed', ...YOUNG }, 'skipped: unknown_status'],
      [{ ...MEMPOOL, state: 'internal' }, { status: 'failed' }, 'skipped: unknown_status'],
    ];

  test.for(TABLE)('%o and %o: %s', ([ours, record, outcome]) => {
    const theirs = record === null ? null : received(record);
    expect(shownOutcome(compareDeposit({ ...DUE, ...ours }, theirs, LATE))).toBe(outcome);
  });

  test.for([
    ['confirmed', 'confirmed'],
    ['mempool', 'seen in the mempool'],
  ] as const)('one that is %s here and rolled back there says so', ([evidence, words]) => {
    const outcome = compareDeposit({ ...DUE, evidence }, received({ status: 'rolledback' }), LATE);
    expect(foundIn(outcome).map(({ detail }) => detail)).toEqual([
      `the custody API says rolledback, the notifications say ${words}`,
    ]);
  });
});

test.for<[what: string, record: Partial<CustodyTransaction>, is: boolean]>([
  ['everything the same', {}, true],
  ['an outgoing one', { type: 'outgoing' }, false],
  ['another transaction', { transactionId: TransactionId('x') }, false],
  ['another network', { network: NetworkKey('polygon') }, false],
  ['another hash', { blockchainHash: BlockchainHash('0xb2') }, false],
  ['no hash', { blockchainHash: null }, false],
  ['another vault', { vaultId: VaultId('v2') }, false],
  ['another account', { accountId: AccountId('acc-2') }, false],
  ['no account', { accountId: null }, false],
  ['another address', { addressId: AddressId('adr-2') }, false],
  ['another memo', { memo: Memo('bob') }, false],
])('a record of %s is about the deposit: %s', ([, record, is]) => {
  expect(isRecordOf(DUE, received(record))).toBe(is);
});

test('a record is about a deposit without a transaction id', () => {
  const unnamed = { ...DUE, transactionId: null };
  expect(isRecordOf(unnamed, received({ transactionId: TransactionId('x') }))).toBe(true);
  expect(isRecordOf(unnamed, received({ addressId: null }))).toBe(false);
});

describe('a record and a deposit that webhooks named', () => {
  const ELSEWHERE = { addressId: AddressId('adr-2') };
  const RENAMED = { transactionId: TransactionId('x') };
  const UNVERIFIED = { verifiedAt: null };

  test.for<[why: string, ours: Partial<Deposit>, record: Partial<CustodyTransaction>, is: string]>([
    ['the record of its id and position', UNVERIFIED, {}, 'may correct it'],
    ['the record of its id and position, once verified', {}, {}, 'may correct it'],
    [
      'the record of its id at another position',
      UNVERIFIED,
      ELSEWHERE,
      'may correct it and shows that it is misnamed',
    ],
    ['the record of its id at another position, once verified', {}, ELSEWHERE, 'may correct it'],
    [
      'the record of its id at another position, once credited',
      { ...UNVERIFIED, credit: CREDIT },
      ELSEWHERE,
      'may correct it',
    ],
    ['a record of another id at its position', UNVERIFIED, RENAMED, 'may correct it'],
    ['a record of another id at its position, once verified', {}, RENAMED, 'is of another'],
    [
      'a record of another id at its position, once credited',
      { ...UNVERIFIED, credit: CREDIT },
      RENAMED,
      'is of another',
    ],
    [
      'a record of another id at its position, after its reversal',
      { ...UNVERIFIED, creditsIssued: 1 },
      RENAMED,
      'may correct it',
    ],
    ['a record at its position, where it has no id', { transactionId: null }, {}, 'may correct it'],
  ])('%s', ([, ours, record, is]) => {
    const deposit = { ...DUE, ...ours };
    const row = received(record);
    const words = [
      ...(mayCorrect(deposit, row) ? ['may correct it'] : []),
      ...(isMisnamed(deposit, row) ? ['shows that it is misnamed'] : []),
    ];
    expect(words.join(' and ') || 'is of another').toBe(is);
  });

  test('a record of another id and position does not correct it', () => {
    const row = received({ ...RENAMED, ...ELSEWHERE });
    expect(mayCorrect({ ...DUE, ...UNVERIFIED }, row)).toBe(false);
  });
});

test.for<[why: string, record: Partial<CustodyTransaction> | null, says: string]>([
  ['nothing', null, 'the custody API does not know this transaction'],
  [
    'another address',
    { addressId: AddressId('adr-2') },
    'the custody API knows this transaction under another id or position',
  ],
  ['another asset', { changes: [] }, 'the custody API shows no ethereum:ETH at this position'],
  [
    'another transaction',
    { transactionId: TransactionId('x') },
    'the custody API knows this transaction as x',
  ],
])('a deposit of which the API knows %s says so', ([, record, says]) => {
  const outcome = compareDeposit(DUE, record === null ? null : received(record), LATE);
  expect(foundIn(outcome).map(({ detail }) => detail)).toEqual([
    `${says}: do not credit it, it may be forged`,
  ]);
});

test('a credited deposit that the API does not know asks where its transaction is', () => {
  const outcome = compareDeposit({ ...DUE, credit: CREDIT }, null, LATE);
  expect(foundIn(outcome).map(({ detail }) => detail)).toEqual([
    'the custody API does not know this transaction: it was credited, ask the custody service whether it is on the chain',
  ]);
});

describe('what a record says was received', () => {
  const LISTS: [what: string, list: BalanceChange[], amount: bigint | undefined][] = [
    ['nothing', [], undefined],
    ['its entries together', [balanceChange(60n), balanceChange(40n)], 100n],
    [
      'not those of another address',
      [balanceChange(60n), balanceChange(40n, { addressId: AddressId('adr-2') })],
      60n,
    ],
    [
      'not those of another account',
      [balanceChange(60n), balanceChange(40n, { accountId: AccountId('acc-2') })],
      60n,
    ],
    ['not those of the account alone', [balanceChange(40n, { addressId: null })], undefined],
    [
      'not those of another asset',
      [balanceChange(7n, { asset: AssetId('ethereum:USDC') }), balanceChange(60n)],
      60n,
    ],
    ['not a mint', [balanceChange(60n), balanceChange(5n, { kind: 'mint' })], 60n],
  ];

  test.for(LISTS)('%s', ([, list, amount]) => {
    expect(custodyReceived(DUE, list)?.amount).toBe(amount);
  });
});
