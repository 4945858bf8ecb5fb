import { expect, test } from 'vitest';
import { Amount } from '../../../src/domain/money/amount.ts';
import type { DepositRule } from '../../../src/domain/policy/policy.ts';
import {
  approvers,
  awaitsCustody,
  evaluateState,
  isDue,
  isUpToDate,
  rolledBack,
  type Deposit,
} from '../../../src/domain/deposit/deposit.ts';
import { CreditId, Memo } from '../../../src/domain/ids.ts';
import { DUE } from '../records.ts';

const RULE: DepositRule = {
  confirmations: 6,
  minimumAmount: Amount(10n),
  oneApprovalAbove: null,
  twoApprovalsAbove: null,
  requireMemo: false,
  halted: false,
  creditInternal: false,
  creditsVault: true,
  startsAt: null,
};

const REVERSED = CreditId('crd_0');
const CREDIT = {
  creditId: CreditId('crd_1'),
  amount: Amount(100n),
  creditedAt: 9,
  reference: null,
};

function approvedBy(...people: string[]): Pick<Deposit, 'approvals'> {
  return { approvals: people.map((person) => ({ person, reason: 'checked', at: 3 })) };
}

const UNVERIFIED = { verifiedAt: null, custodyConfirmations: 0 };
const ONE_ABOVE_99 = { oneApprovalAbove: Amount(99n) };
const TWO_ABOVE_99 = { twoApprovalsAbove: Amount(99n) };

/** What is known, under which rule, and the state of the deposit. */
const STATES: [why: string, facts: Partial<Deposit>, rule: Partial<DepositRule>, is: string][] = [
  ['every gate open', {}, {}, 'verifying, credit due'],
  ['seen in the mempool', { evidence: 'mempool', confirmations: 0, ...UNVERIFIED }, {}, 'detected'],
  ['one confirmation', { confirmations: 1, ...UNVERIFIED }, {}, 'confirming'],
  ['one short', { confirmations: 5, ...UNVERIFIED }, {}, 'confirming'],
  ['deep, nobody asked the API', { ...UNVERIFIED }, {}, 'verifying'],
  ['the API is deep, the webhooks stopped at 1', { confirmations: 1 }, {}, 'verifying, credit due'],
  ['matched by the API at 5 only', { custodyConfirmations: 5 }, {}, 'verifying'],
  ['deep at the API, its match withdrawn', { verifiedAt: null }, {}, 'verifying'],
  ['policy deeper than the match', {}, { confirmations: 12 }, 'confirming'],
  ['no depth asked', { confirmations: 0, ...UNVERIFIED }, { confirmations: 0 }, 'verifying'],

  ['change', { change: true }, {}, 'internal'],
  ['change, internals credited', { change: true }, { creditInternal: true }, 'internal'],
  ['own transfer', { ownTransfer: true }, {}, 'internal'],
  ['own transfer in the mempool', { ownTransfer: true, evidence: 'mempool' }, {}, 'internal'],
  [
    'own transfer, internals credited',
    { ownTransfer: true },
    { creditInternal: true },
    'verifying, credit due',
  ],

  ['a person holds it', { operatorHold: 'ann: odd' }, {}, 'held: operator_hold'],
  [
    'a person holds it at one confirmation',
    { operatorHold: 'ann: odd', confirmations: 1, ...UNVERIFIED },
    {},
    'held: operator_hold',
  ],
  ['another vault', {}, { creditsVault: false }, 'held: vault_not_credited'],
  [
    'another vault, one confirmation, and a memo of nobody',
    { unattributed: true, confirmations: 1, ...UNVERIFIED },
    { creditsVault: false },
    'held: vault_not_credited',
  ],
  ['created before the start', { custodyCreatedAt: 4 }, { startsAt: 5 }, 'held: before_start'],
  ['created at the start', { custodyCreatedAt: 5 }, { startsAt: 5 }, 'verifying, credit due'],
  ['of unknown age, with a start', {}, { startsAt: 5 }, 'held: before_start'],
  ['not verified yet, with a start', { ...UNVERIFIED }, { startsAt: 5 }, 'verifying'],
  [
    'created before the start, credited before',
    { custodyCreatedAt: 4, credit: CREDIT },
    { startsAt: 5 },
    'credited',
  ],
  ['another vault, own transfer', { ownTransfer: true }, { creditsVault: false }, 'internal'],
  ['another vault, credited before', { credit: CREDIT }, { creditsVault: false }, 'credited'],
  ['unregistered memo', { unattributed: true }, {}, 'held: unattributed_memo'],
  [
    'unregistered memo, attributed',
    { unattributed: true, attributedTo: 'c1' },
    {},
    'verifying, credit due',
  ],
  ['no memo where one is required', {}, { requireMemo: true }, 'held: memo_required'],
  [
    'memo where one is required',
    { memo: Memo('m') },
    { requireMemo: true },
    'verifying, credit due',
  ],
  [
    'no memo where one is required, attributed',
    { attributedTo: 'c1' },
    { requireMemo: true },
    'verifying, credit due',
  ],
  ['other decimals', { decimalsChanged: true }, {}, 'held: decimals_changed'],
  ['one unit below the minimum', { amount: Amount(9n) }, {}, 'held: dust'],
  ['exactly the minimum', { amount: Amount(10n) }, {}, 'verifying, credit due'],
  ['dust at one confirmation', { amount: Amount(9n), confirmations: 1 }, {}, 'held: dust'],
  ['dust in the mempool', { amount: Amount(9n), evidence: 'mempool' }, {}, 'detected'],
  ['halted', {}, { halted: true }, 'held: halted'],
  ['halted, not deep yet', { confirmations: 1, ...UNVERIFIED }, { halted: true }, 'confirming'],

  [
    'exactly at the one-approval bound',
    {},
    { oneApprovalAbove: Amount(100n) },
    'verifying, credit due',
  ],
  ['above it', {}, ONE_ABOVE_99, 'held: approval_required'],
  ['above it, approved', approvedBy('ann'), ONE_ABOVE_99, 'verifying, credit due'],
  [
    'above it, approved, never verified',
    { ...approvedBy('ann'), ...UNVERIFIED },
    ONE_ABOVE_99,
    'verifying',
  ],
  [
    'above the two-approval bound, one came',
    approvedBy('ann'),
    TWO_ABOVE_99,
    'held: approval_required',
  ],
  ['the same person twice', approvedBy('ann', 'ann'), TWO_ABOVE_99, 'held: approval_required'],
  ['two people', approvedBy('ann', 'bob'), TWO_ABOVE_99, 'verifying, credit due'],
  [
    'both bounds passed: the stricter holds',
    approvedBy('ann'),
    { ...ONE_ABOVE_99, ...TWO_ABOVE_99 },
    'held: approval_required',
  ],
  [
    'approved but halted',
    approvedBy('ann', 'bob'),
    { ...TWO_ABOVE_99, halted: true },
    'held: halted',
  ],
  [
    'approved but held',
    { ...approvedBy('ann'), operatorHold: 'x' },
    ONE_ABOVE_99,
    'held: operator_hold',
  ],
  ['approved change', { ...approvedBy('ann'), change: true }, ONE_ABOVE_99, 'internal'],

  ['credited', { credit: CREDIT }, {}, 'credited'],
  ['acknowledged', { credit: { ...CREDIT, reference: 'r' } }, {}, 'settled'],
  ['credited, then halted', { credit: CREDIT }, { halted: true }, 'credited'],
  [
    'credited, then claimed by an own transfer',
    { credit: CREDIT, ownTransfer: true },
    {},
    'credited',
  ],
  [
    'credited, its hash gone, the API not asked',
    { credit: CREDIT, evidence: 'none' },
    {},
    'credited',
  ],
  ['its hash gone before any credit', { evidence: 'none' }, {}, 'rolled_back'],
  ['its hash gone, change', { evidence: 'none', change: true }, {}, 'rolled_back'],
  [
    'its hash gone, its credit taken back',
    { evidence: 'none', reversed: REVERSED },
    {},
    'reversed',
  ],
  [
    'taken back, mined again',
    { reversed: REVERSED, confirmations: 1, ...UNVERIFIED },
    {},
    'confirming',
  ],
  ['taken back, mined again, verified again', { reversed: REVERSED }, {}, 'verifying, credit due'],
];

test.for(STATES)('%s', ([_, facts, rule, expected]) => {
  const { state, reason, creditDue } = evaluateState({ ...DUE, ...facts }, { ...RULE, ...rule });
  const shown = `${state}${reason === null ? '' : `: ${reason}`}${creditDue ? ', credit due' : ''}`;
  expect(shown).toBe(expected);
});

test('a rollback ends the epoch: depth, verification and approvals are gone, the credit stays active', () => {
  const before = { ...DUE, ...approvedBy('ann', 'bob'), credit: CREDIT, attributedTo: 'c1' };
  expect(rolledBack(before, 9)).toEqual({
    ...before,
    epoch: 1,
    evidence: 'none',
    confirmations: 0,
    custodyConfirmations: 0,
    verifiedAt: null,
    approvals: [],
    updatedAt: 9,
  });
});

test('one person counts once, with any number of approvals', () => {
  expect(approvers({ ...DUE, ...approvedBy('ann', 'ann', 'bob') })).toEqual(
    new Set(['ann', 'bob']),
  );
});

const AWAITS: [why: string, facts: Partial<Deposit>, awaits: boolean][] = [
  ['confirmed and not credited', {}, true],
  ['held', { state: 'held', reason: 'dust' }, true],
  ['in the mempool only', { evidence: 'mempool', state: 'detected' }, false],
  ['internal', { state: 'internal' }, false],
  ['internal, and never matched', { state: 'internal', ...UNVERIFIED }, true],
  ['rolled back before any credit', { evidence: 'none', state: 'rolled_back' }, false],
  ['credited', { credit: CREDIT, state: 'credited' }, false],
  [
    'credited and rolled back: may the feed reverse it?',
    { credit: CREDIT, evidence: 'none' },
    true,
  ],
];

test.for(AWAITS)('asked about at the custody API or not: %s', ([_, facts, awaits]) => {
  expect(awaitsCustody({ ...DUE, ...facts })).toBe(awaits);
});

test.for<[why: string, facts: Partial<Deposit>, due: boolean]>([
  ['only its record is missing', {}, true],
  ['not deep enough', { state: 'confirming' }, false],
  ['held', { state: 'held', reason: 'dust' }, false],
  ['rolled back before any credit', { evidence: 'none', state: 'rolled_back' }, false],
  ['credited', { credit: CREDIT, state: 'credited' }, false],
  ['credited, its hash gone', { credit: CREDIT, state: 'credited', evidence: 'none' }, true],
  [
    'credited, mined again, its state not evaluated yet',
    { credit: CREDIT, state: 'verifying' },
    false,
  ],
])('asked about at the custody API at once or not: %s', ([, facts, due]) => {
  expect(isDue({ ...DUE, ...facts })).toBe(due);
});

/** DUE as `judge` left it while it waited for the custody API. */
const EVALUATED: Deposit = { ...DUE, ...UNVERIFIED };
const UP_TO_DATE: [
  why: string,
  facts: Partial<Deposit>,
  rule: Partial<DepositRule>,
  upToDate: boolean,
][] = [
  ['as it was evaluated', {}, {}, true],
  ['a credit is due', { verifiedAt: 5, custodyConfirmations: 6 }, {}, false],
  [
    'a credit needs a newer match',
    { verifiedAt: 5, matchedAt: 0, custodyConfirmations: 6 },
    {},
    true,
  ],
  ['its match is young', { verifiedAt: 5, matchedAt: 1, custodyConfirmations: 6 }, {}, false],
  ['the policy is deeper now', {}, { confirmations: 12 }, false],
  ['the policy holds it now', {}, { halted: true }, false],
  ['in another state than it was evaluated to', { state: 'confirming' }, {}, false],
  ['held for the same reason', { state: 'held', reason: 'halted' }, { halted: true }, true],
  ['the policy credits other vaults now', {}, { creditsVault: false }, false],
  ['held for another reason', { state: 'held', reason: 'dust' }, { halted: true }, false],
  ['the depth asked is another, the state is not', { requiredConfirmations: 5 }, {}, false],
];

test.for(UP_TO_DATE)('is up to date with its rule: %s', ([, facts, rule, upToDate]) => {
  expect(isUpToDate({ ...EVALUATED, ...facts }, { ...RULE, ...rule }, 3_600_000)).toBe(upToDate);
});
