import { breakKey, finding, type Break, type Finding } from './break.ts';
import type { Deposit } from '../deposit/deposit.ts';
import { changeSet, type ChangeSet } from '../hash/hash-state.ts';
import { durationText } from '../duration.ts';
import { depositFinding } from '../deposit/evaluation.ts';
import { isTerminal, type Withdrawal } from '../withdrawal/withdrawal.ts';

/** How many milliseconds something may wait without progress before it is stale. */
export interface StaleAges {
  /** Null without a custody API: every deposit waits then, by configuration. */
  readonly depositMs: number | null;
  readonly withdrawalMs: number;
  /** A credit that waits for its reversal is stale too. Absent in runs of earlier versions. */
  readonly reversals?: true;
}

/**
 * Most stale deposits, and as many withdrawals, with a break each, the oldest first. The run counts
 * the others.
 */
export const STALE_SHOWN_MAX = 1_000;

/** The run's counter of stale deposits and withdrawals without a break. */
export const STALE_NOT_SHOWN = 'stale_not_shown';

/**
 * Whether a deposit waits for an automatic step or an approval. A verified deposit that a person,
 * dust or a halt holds waits on purpose. A credited one that was rolled back waits for its reversal.
 */
function waits(deposit: Deposit): boolean {
  switch (deposit.state) {
    case 'detected':
    case 'confirming':
    case 'verifying':
      return true;
    case 'held':
      return deposit.verifiedAt === null || deposit.reason === 'approval_required';
    case 'credited':
    case 'settled':
      return deposit.evidence === 'none';
    case 'internal':
    case 'rolled_back':
    case 'reversed':
      return false;
    default:
      return deposit.state satisfies never;
  }
}

/** What a stale deposit waits for, and the possible cause. */
function waitText(deposit: Deposit): string {
  const unverified =
    'the custody API has not confirmed it: its status there is unknown or failed, or it cannot be asked';
  const { state, reason, requiredConfirmations, verifiedAt, credit } = deposit;
  if (credit !== null) {
    return 'its transaction was rolled back, and the custody API has not confirmed that: its status there is unknown or failed, or it cannot be asked';
  }
  if (state === 'detected') {
    return 'no confirmation came after the mempool: its fee may be too low, or it was dropped';
  }
  if (state === 'confirming') return `it does not reach its ${requiredConfirmations} confirmations`;
  if (state !== 'held') return unverified;
  // A held deposit that is verified waits for an approval alone (`waits`).
  return verifiedAt === null ? `held for ${reason}, and ${unverified}` : 'nobody has approved it';
}

function since(updatedAt: number, ageMs: number): string {
  return `since ${new Date(updatedAt).toISOString()}, for more than ${durationText(ageMs)}`;
}

function staleDeposit(deposit: Deposit, ageMs: number): Finding {
  return depositFinding('stale_deposit', deposit, {
    actual: deposit.amount,
    detail: `${deposit.state} ${since(deposit.updatedAt, ageMs)}: ${waitText(deposit)}`,
  });
}

function staleWithdrawal(withdrawal: Withdrawal, ageMs: number): Finding {
  const { transactionId, vaultId, network, blockchainHash, status, updatedAt } = withdrawal;
  return finding('stale_withdrawal', {
    key: breakKey('stale_withdrawal', transactionId),
    subject: { transactionId, vaultId, network, blockchainHash },
    detail: `${status ?? 'without a status'} ${since(updatedAt, ageMs)}: it has not reached a final status`,
  });
}

/** The records that a run reads for staleness: the oldest, and those with an open break. */
export interface IdleRecords {
  /** At most `STALE_SHOWN_MAX` of each, the oldest first. */
  readonly deposits: readonly Deposit[];
  readonly withdrawals: readonly Withdrawal[];
  readonly openDeposits: readonly {
    readonly found: Break;
    readonly deposit: Deposit | undefined;
  }[];
  readonly openWithdrawals: readonly {
    readonly found: Break;
    readonly withdrawal: Withdrawal | undefined;
  }[];
}

/**
 * Opens breaks for deposits and withdrawals that waited too long at `at` (Unix milliseconds), and
 * resolves those of others.
 */
export function handleStale(idle: IdleRecords, ages: StaleAges, at: number): ChangeSet {
  const { depositMs, withdrawalMs } = ages;
  const isStaleDeposit = (deposit: Deposit | undefined): boolean =>
    deposit !== undefined &&
    depositMs !== null &&
    waits(deposit) &&
    deposit.updatedAt <= at - depositMs;
  const isStaleWithdrawal = (withdrawal: Withdrawal | undefined): boolean =>
    withdrawal !== undefined &&
    !isTerminal(withdrawal) &&
    withdrawal.updatedAt <= at - withdrawalMs;
  return changeSet({
    found: [
      ...idle.deposits
        .filter(isStaleDeposit)
        .map((deposit) => staleDeposit(deposit, depositMs ?? 0)),
      ...idle.withdrawals
        .filter(isStaleWithdrawal)
        .map((withdrawal) => staleWithdrawal(withdrawal, withdrawalMs)),
    ],
    healed: [
      ...idle.openDeposits
        .filter(({ deposit }) => !isStaleDeposit(deposit))
        .map(({ found, deposit }) => ({
          key: found.key,
          reason: `it moved on: ${deposit?.state ?? 'gone'}`,
        })),
      ...idle.openWithdrawals
        .filter(({ withdrawal }) => !isStaleWithdrawal(withdrawal))
        .map(({ found, withdrawal }) => ({
          key: found.key,
          reason: `it moved on: ${withdrawal?.status ?? 'gone'}`,
        })),
    ],
  });
}
