import { describe, expect, test } from 'vitest';
import { Amount } from '../../../../src/domain/money/amount.ts';
import type { CustodyTransaction } from '../../../../src/domain/fact/custody-record.ts';
import { handleDepositRecord } from '../../../../src/domain/deposit/record/verification.ts';
import type { Deposit } from '../../../../src/domain/deposit/deposit.ts';
import { CreditId } from '../../../../src/domain/ids.ts';
import { balanceChange, received } from '../../../store/evidence.ts';
import { DUE } from '../../records.ts';
import { AT, now } from './rule-context.ts';

const CREDIT = {
  creditId: CreditId('crd_1'),
  amount: Amount(100n),
  creditedAt: 9,
  reference: null,
};
const CREDITED: Partial<Deposit> = { credit: CREDIT, creditsIssued: 1, state: 'credited' };
const UNVERIFIED = { verifiedAt: null, custodyConfirmations: 0 };
const MEMPOOL: Partial<Deposit> = {
  ...UNVERIFIED,
  evidence: 'mempool',
  confirmations: 0,
  state: 'detected',
};

function decided(
  facts: Partial<Deposit>,
  record: Partial<CustodyTransaction> | null,
  more: { graceMs?: number; approval?: bigint } = {},
): string[] {
  const ruleContext = now(more.approval === undefined ? null : Amount(more.approval));
  const { outcome, deposits, items, found, healed } = handleDepositRecord(
    { ...DUE, ...facts },
    record === null ? null : received(record),
    { graceMs: more.graceMs ?? 0, now: ruleContext },
  );
  return [
    outcome.kind === 'skipped' ? outcome.cause : outcome.kind,
    ...deposits.map(
      ({ state, verifiedAt, custodyConfirmations }) =>
        `${state}, ${verifiedAt === null ? 'unverified' : `verified at ${verifiedAt}`} ${custodyConfirmations} deep`,
    ),
    ...items.map(({ kind, amount }) => `${kind} ${amount}`),
    ...found.map(({ type }) => `found ${type}`),
    ...healed
      // The break about an older row ends with each of these.
      .filter(({ key }) => !key.includes('"mempool"'))
      .map(({ key }) => `healed ${(JSON.parse(key) as string[]).join(' ')}`),
  ];
}

const [UNKNOWN, AMOUNT, STATUS, MISSING, CHANGED, CREDIT_ACTIVE] = [
  'healed unknown_to_custody dep_1',
  'healed amount_mismatch dep_1',
  'healed status_mismatch dep_1',
  'healed missing_notification dep-tx',
  'healed amount_changed dep_1',
  'healed reversal_after_credit dep_1',
];
const APPROVAL = { approval: 1n };

type Case = [
  why: string,
  facts: Partial<Deposit>,
  record: Partial<CustodyTransaction> | null,
  is: (string | undefined)[],
  more?: { graceMs?: number; approval?: bigint },
];

const CASES: Case[] = [
  [
    'agrees for the first time',
    UNVERIFIED,
    {},
    [
      'matched',
      'credited, verified at 1000000 6 deep',
      'credit 100',
      UNKNOWN,
      AMOUNT,
      STATUS,
      MISSING,
      CHANGED,
    ],
  ],
  [
    'agrees, deeper than before: the first match counts',
    { verifiedAt: 5, custodyConfirmations: 3 },
    { confirmations: 4 },
    ['matched', 'verifying, verified at 5 4 deep', UNKNOWN, AMOUNT, STATUS, MISSING, CHANGED],
  ],
  [
    'agrees, less deep than before: the chain was reorganised',
    { custodyConfirmations: 5 },
    { confirmations: 4 },
    ['matched', 'verifying, verified at 5 4 deep', UNKNOWN, AMOUNT, STATUS, MISSING, CHANGED],
  ],
  [
    'agrees, and names no depth',
    { custodyConfirmations: 5 },
    { confirmations: null },
    ['matched', UNKNOWN, AMOUNT, STATUS, MISSING, CHANGED],
  ],
  [
    'agrees about one whose transaction no notification named',
    { ...UNVERIFIED, transactionId: null },
    { confirmations: 1 },
    ['matched', 'verifying, verified at 1000000 1 deep', UNKNOWN, AMOUNT, STATUS, CHANGED],
  ],
  [
    'agrees about a credited one',
    CREDITED,
    {},
    ['matched', UNKNOWN, AMOUNT, STATUS, MISSING, CREDIT_ACTIVE, CHANGED],
  ],
  [
    'agrees about a credited one that is our own transfer',
    { ...CREDITED, ownTransfer: true },
    {},
    ['matched', UNKNOWN, AMOUNT, MISSING, CREDIT_ACTIVE, CHANGED],
  ],
  [
    'agrees about our own transfer that was never credited',
    { ownTransfer: true, state: 'internal' },
    {},
    ['matched', UNKNOWN, AMOUNT, STATUS, MISSING, CHANGED],
  ],
  [
    'agrees about an amount of which another was credited',
    { ...CREDITED, credit: { ...CREDIT, amount: Amount(90n) } },
    {},
    ['matched', UNKNOWN, AMOUNT, STATUS, MISSING, CREDIT_ACTIVE],
  ],
  [
    'agrees that a credited one is gone',
    { ...CREDITED, ...UNVERIFIED, evidence: 'none' },
    { status: 'rolledback' },
    ['matched', 'reversed, unverified 0 deep', 'reversal 100', UNKNOWN, AMOUNT, STATUS, MISSING],
  ],
  [
    'agrees about the mempool',
    MEMPOOL,
    { status: 'mempool', confirmations: 0 },
    ['matched', UNKNOWN, AMOUNT, STATUS, MISSING],
  ],
  [
    'calls it change',
    {},
    { changes: [balanceChange(100n, { kind: 'change' })] },
    ['matched', 'internal, verified at 5 6 deep', UNKNOWN, AMOUNT, STATUS, MISSING, CHANGED],
  ],
  [
    'does not call it change as the notification did',
    { change: true, state: 'internal' },
    {},
    [
      'matched',
      'credited, verified at 5 6 deep',
      'credit 100',
      UNKNOWN,
      AMOUNT,
      STATUS,
      MISSING,
      CHANGED,
    ],
  ],
  [
    'does not know one that had matched',
    { state: 'held', reason: 'approval_required' },
    null,
    ['break', 'verifying, unverified 0 deep', 'found unknown_to_custody', AMOUNT, STATUS, MISSING],
  ],
  [
    'does not know one that never matched',
    UNVERIFIED,
    null,
    ['break', 'found unknown_to_custody', AMOUNT, STATUS, MISSING],
  ],
  [
    'does not know a credited one',
    CREDITED,
    null,
    ['break', 'found unknown_to_custody', AMOUNT, STATUS, MISSING],
  ],
  ['omits the changes of one that had matched', {}, { changes: null }, ['balance_changes_pending']],
  [
    'has a status of tomorrow for one that had matched',
    {},
    { status: 'frozen' },
    ['unknown_status', 'verifying, unverified 0 deep'],
  ],
  [
    'has a status of tomorrow for one that never matched',
    UNVERIFIED,
    { status: 'frozen' },
    ['unknown_status'],
  ],
  [
    'rolled it back a moment ago',
    UNVERIFIED,
    { status: 'rolledback', updatedAt: AT - 9 },
    ['in_grace'],
    { graceMs: 10 },
  ],
  [
    'rolled it back, past the grace',
    UNVERIFIED,
    { status: 'rolledback', updatedAt: AT - 10 },
    ['break', 'found status_mismatch', UNKNOWN, AMOUNT, MISSING],
    { graceMs: 10 },
  ],
  [
    'agrees, and an approval is needed',
    UNVERIFIED,
    {},
    ['matched', 'held, verified at 1000000 6 deep', UNKNOWN, AMOUNT, STATUS, MISSING, CHANGED],
    APPROVAL,
  ],
];

describe('the custody API’s record of a deposit', () => {
  test.for(CASES)('%s', ([, facts, record, is, more]) => {
    expect(decided(facts, record, more)).toEqual(is);
  });
});
