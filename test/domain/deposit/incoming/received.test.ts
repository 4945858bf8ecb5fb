import { expect, test } from 'vitest';
import { Amount } from '../../../../src/domain/money/amount.ts';
import { newDeposit, receivedIn, sighted } from '../../../../src/domain/deposit/received.ts';
import type { Deposit } from '../../../../src/domain/deposit/deposit.ts';
import { AssetId, IdMint, Memo } from '../../../../src/domain/ids.ts';
import type { BalanceChange } from '../../../../src/domain/fact/notification.ts';
import { balanceChange } from '../../../store/evidence.ts';
import { DUE, ruleContext } from '../../records.ts';
import { incomingOf } from './incoming.ts';

const COIN = { asset: AssetId('ethereum:USDC') };

/** What entries are as receipts: `asset amount`, and whether change, attributed or with decimals. */
const RECEIPTS: [why: string, list: BalanceChange[], are: string[]][] = [
  ['nothing', [], []],
  ['two entries of one asset', [balanceChange(5n), balanceChange(7n)], ['ethereum:ETH 12']],
  [
    'two assets, in the order of their first entries',
    [balanceChange(1n, COIN), balanceChange(5n), balanceChange(2n, COIN)],
    ['ethereum:USDC 3', 'ethereum:ETH 5'],
  ],
  [
    'fee, rebate and mint beside it',
    [
      balanceChange(5n),
      balanceChange(-1n, { kind: 'fee' }),
      balanceChange(2n, { kind: 'rebate' }),
      balanceChange(3n, { kind: 'mint', ...COIN }),
    ],
    ['ethereum:ETH 5'],
  ],
  ['what nets to nothing', [balanceChange(5n), balanceChange(-5n)], []],
  ['what left', [balanceChange(-5n)], []],
  [
    'one entry of change makes it all change',
    [balanceChange(5n, { kind: 'change' }), balanceChange(1n)],
    ['ethereum:ETH 6 change'],
  ],
  [
    'one entry with a registered memo attributes it all',
    [balanceChange(5n, { memo: Memo('bob') }), balanceChange(1n)],
    ['ethereum:ETH 6 attributed'],
  ],
  [
    'the first decimals count',
    [balanceChange(5n), balanceChange(1n, { decimals: 6 }), balanceChange(1n, { decimals: 8 })],
    ['ethereum:ETH 7 with 6 decimals'],
  ],
];

test.for(RECEIPTS)('received in %s', ([, list, are]) => {
  const words = receivedIn(list).map((one) =>
    [
      `${one.asset} ${one.amount}`,
      ...(one.change ? ['change'] : []),
      ...(one.attributed ? ['attributed'] : []),
      ...(one.decimals === null ? [] : [`with ${one.decimals} decimals`]),
    ].join(' '),
  );
  expect(words).toEqual(are);
});

test('a new deposit has only what it received', () => {
  const received = { ...COIN, amount: Amount(7n), change: true, attributed: true, decimals: 6 };
  const now = ruleContext({ mint: new IdMint(7, () => '1') });
  const deposit = newDeposit(received, { notification: incomingOf(null), epoch: 2, now });
  expect(deposit).toEqual({
    vaultId: 'v1',
    network: 'ethereum',
    blockchainHash: '0xa1',
    accountId: 'acc-1',
    addressId: 'adr-1',
    networkAddress: null,
    reportedAddress: null,
    memo: null,
    asset: 'ethereum:USDC',
    depositId: 'dep_1',
    transactionId: 'dep-tx',
    amount: 7n,
    epoch: 2,
    evidence: 'none',
    confirmations: 0,
    change: true,
    ownTransfer: false,
    unattributed: false,
    attributedTo: null,
    attributedBy: null,
    decimalsChanged: false,
    operatorHold: null,
    approvals: [],
    verifiedAt: null,
    custodyConfirmations: 0,
    matchedAt: null,
    custodyCreatedAt: null,
    credit: null,
    creditsIssued: 0,
    reversed: null,
    state: 'detected',
    reason: null,
    requiredConfirmations: 0,
    firstSeenAt: 99,
    updatedAt: 99,
  });
});

/** The deposit after its seventh confirmation. */
function afterSeventh(before: Partial<Deposit>, changes = [balanceChange(100n)]): Deposit {
  const [received] = receivedIn(changes);
  if (received === undefined) throw new Error('the changes receive something');
  return sighted({ ...DUE, ...before }, received, {
    notification: incomingOf(changes),
    now: ruleContext(),
    ownTransfer: false,
    posted: [],
    isCorrected: false,
    isOutOfDate: false,
  });
}

test.for([
  [8, '100'],
  [7, '40'],
] as const)(
  'after %d confirmations, the seventh leaves the amount %s',
  ([confirmations, amount]) => {
    const after = afterSeventh({ confirmations }, [balanceChange(40n)]);
    expect([String(after.amount), after.confirmations]).toEqual([amount, confirmations]);
  },
);

test.for<[why: string, before: Partial<Deposit>, isNews: boolean]>([
  ['is deeper, and more are required', { confirmations: 6, requiredConfirmations: 7 }, true],
  ['is as deep', { confirmations: 7, requiredConfirmations: 12 }, false],
  ['is deeper than required before', { confirmations: 6, requiredConfirmations: 6 }, false],
  ['has another amount', { amount: Amount(40n) }, true],
  ['attributes it otherwise', { unattributed: true }, true],
  ['is its first', { confirmations: 0, evidence: 'mempool', requiredConfirmations: 0 }, true],
])('a confirmation renews the age of a deposit only by news: it %s', ([, before, isNews]) => {
  expect(afterSeventh(before).updatedAt).toBe(isNews ? 99 : DUE.updatedAt);
});

test.for<[why: string, before: Partial<Deposit>, verifiedAt: number | null]>([
  ['the same amount and attribution', {}, 5],
  ['another amount', { amount: Amount(40n) }, null],
  ['another attribution', { unattributed: true }, null],
])('a deeper confirmation with %s: whether it stays verified', ([, before, verifiedAt]) => {
  expect(afterSeventh({ verifiedAt: 5, ...before }).verifiedAt).toBe(verifiedAt);
});

test.for<[why: string, before: Partial<Deposit>, change: boolean]>([
  ['before the API verified it is believed', { verifiedAt: null }, true],
  ['after the API verified it is not', { verifiedAt: 5 }, false],
  ['that the API confirmed stays', { verifiedAt: 5, change: true }, true],
])('a webhook that calls a deposit change %s', ([, before, change]) => {
  expect(afterSeventh(before, [balanceChange(100n, { kind: 'change' })]).change).toBe(change);
});
