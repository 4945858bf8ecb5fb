import { describe, expect, test } from 'vitest';
import { opened, type Break, type Finding } from '../../../src/domain/break/break.ts';
import type { Deposit } from '../../../src/domain/deposit/deposit.ts';
import { BreakId } from '../../../src/domain/ids.ts';
import {
  handleStale,
  type StaleAges,
  type IdleRecords,
} from '../../../src/domain/break/staleness.ts';
import type { WithdrawalStatus } from '../../../src/domain/withdrawal/withdrawal.ts';
import { DUE, withdrawal } from '../records.ts';

const HOUR = 3_600_000;
const AGES: StaleAges = { depositMs: 6 * HOUR, withdrawalMs: 24 * HOUR };
const NOTHING: IdleRecords = {
  deposits: [],
  withdrawals: [],
  openDeposits: [],
  openWithdrawals: [],
};
const UNVERIFIED = { verifiedAt: null, custodyConfirmations: 0 };

/** What is stale so many hours after everything changed last, at 0. */
function staleAt(hours: number, idle: Partial<IdleRecords>, ages = AGES): readonly Finding[] {
  return handleStale({ ...NOTHING, ...idle }, ages, hours * HOUR).found;
}

function healedAt(hours: number, idle: Partial<IdleRecords>, ages = AGES): readonly string[] {
  const { healed } = handleStale({ ...NOTHING, ...idle }, ages, hours * HOUR);
  return healed.map(({ key, reason }) => `${key} ${reason}`);
}

/** Replaces each detail that contains `says` by `says`. */
function saidIn(details: readonly string[], says: string | null): string[] {
  return details.map((detail) => (says !== null && detail.includes(says) ? says : detail));
}

const CONFIRM = 'the custody API has not confirmed it';

/** The end of what is said of a deposit that has waited six hours; null: it does not wait. */
const DEPOSITS: [facts: Partial<Deposit>, says: string | null][] = [
  [
    { state: 'detected', ...UNVERIFIED },
    'detected since 1970-01-01T00:00:00.000Z, for more than 6 h: no confirmation came',
  ],
  [{ state: 'confirming', ...UNVERIFIED }, 'does not reach its 6 confirmations'],
  [{ state: 'confirming' }, 'does not reach its 6 confirmations'],
  [{ state: 'verifying', ...UNVERIFIED }, `6 h: ${CONFIRM}`],
  [
    { state: 'held', reason: 'operator_hold', ...UNVERIFIED },
    `held for operator_hold, and ${CONFIRM}`,
  ],
  [
    { state: 'held', reason: 'approval_required', ...UNVERIFIED },
    `held for approval_required, and ${CONFIRM}`,
  ],
  [{ state: 'held', reason: 'approval_required' }, 'nobody has approved it'],
  [{ state: 'held', reason: 'operator_hold' }, null],
  [{ state: 'held', reason: 'dust' }, null],
  [{ state: 'credited' }, null],
  [{ state: 'settled' }, null],
  [{ state: 'internal' }, null],
  [{ state: 'rolled_back', ...UNVERIFIED }, null],
  [{ state: 'reversed', ...UNVERIFIED }, null],
];

describe('a deposit', () => {
  const confirming: Deposit = { ...DUE, ...UNVERIFIED, state: 'confirming', updatedAt: 0 };

  function openDeposit(deposit: Deposit | undefined): Pick<IdleRecords, 'openDeposits'> {
    const [found] = staleAt(6, { deposits: [confirming] });
    if (found === undefined) throw new Error('not stale');
    return { openDeposits: [{ found: openBreak(found), deposit }] };
  }

  test.for(DEPOSITS)('%o', ([facts, says]) => {
    const deposit = { ...DUE, updatedAt: 0, ...facts };
    const details = staleAt(6, { deposits: [deposit] }).map(({ detail }) => detail);
    expect(saidIn(details, says)).toEqual(says === null ? [] : [says]);
    expect(healedAt(6, openDeposit(deposit))).toHaveLength(says === null ? 1 : 0);
  });

  test('is stale from its age on, and not before', () => {
    expect(staleAt(6, { deposits: [confirming] })).toMatchObject([
      { type: 'stale_deposit', subject: { depositId: 'dep_1' }, actual: 100n, expected: null },
    ]);
    expect(staleAt(6 - 1 / HOUR, { deposits: [confirming] })).toEqual([]);
    expect(healedAt(6, openDeposit(confirming))).toEqual([]);
  });

  test('waits for ever without a custody API, and nothing is stale', () => {
    const ages = { ...AGES, depositMs: null };
    expect(staleAt(1_000, { deposits: [confirming] }, ages)).toEqual([]);
    expect(healedAt(1_000, openDeposit(confirming), ages)).toHaveLength(1);
  });

  test('that moved on heals its break, and so does one that is gone', () => {
    const healed = '["stale_deposit","dep_1"] it moved on: ';
    expect(healedAt(6, openDeposit({ ...confirming, updatedAt: 1 }))).toEqual([
      `${healed}confirming`,
    ]);
    expect(healedAt(6, openDeposit({ ...confirming, state: 'credited' }))).toEqual([
      `${healed}credited`,
    ]);
    expect(healedAt(6, openDeposit(undefined))).toEqual([`${healed}gone`]);
  });
});

function openBreak(found: Finding): Break {
  return opened(found, BreakId('brk_1'), 1).after;
}

describe('a withdrawal', () => {
  const submitted = withdrawal('submitted');

  function openWithdrawal(one: typeof submitted | undefined): Pick<IdleRecords, 'openWithdrawals'> {
    const [found] = staleAt(24, { withdrawals: [submitted] });
    if (found === undefined) throw new Error('not stale');
    return { openWithdrawals: [{ found: openBreak(found), withdrawal: one }] };
  }

  const STATUSES: [status: WithdrawalStatus | null, says: string | null][] = [
    [null, 'without a status since 1970-01-01T00:00:00.000Z, for more than 1 d: it has not'],
    ['approval-pending', 'approval-pending since '],
    ['submitted', 'submitted since '],
    ['mined', null],
    ['failed', null],
    ['cancelled', null],
    ['replaced', null],
    ['rolledback', null],
  ];

  test.for(STATUSES)('%s', ([status, says]) => {
    const one = withdrawal(status);
    const details = staleAt(24, { withdrawals: [one] }).map(({ detail }) => detail);
    expect(saidIn(details, says)).toEqual(says === null ? [] : [says]);
    expect(healedAt(24, openWithdrawal(one))).toHaveLength(says === null ? 1 : 0);
  });

  test('is stale from its age on, and not before', () => {
    expect(staleAt(24, { withdrawals: [submitted] })).toMatchObject([
      { type: 'stale_withdrawal', subject: { transactionId: 'wd-tx', vaultId: 'v1' } },
    ]);
    expect(staleAt(24 - 1 / HOUR, { withdrawals: [submitted] })).toEqual([]);
  });

  test('that moved on heals its break, and so does one that is gone', () => {
    const healed = '["stale_withdrawal","wd-tx"] it moved on: ';
    expect(healedAt(24, openWithdrawal({ ...submitted, updatedAt: 1 }))).toEqual([
      `${healed}submitted`,
    ]);
    expect(healedAt(24, openWithdrawal(withdrawal('mined')))).toEqual([`${healed}mined`]);
    expect(healedAt(24, openWithdrawal(undefined))).toEqual([`${healed}gone`]);
  });
});
