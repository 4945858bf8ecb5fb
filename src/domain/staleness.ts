import { breakKey, finding, type Break, type Finding } from './break.ts';
import type { Deposit } from './deposit.ts';
import { changes, type Changes } from './dossier.ts';
import { durationText } from './duration.ts';
import { depositFinding } from './settlement.ts';
import { isTerminal, type Withdrawal } from './withdrawal.ts';

/** How long something may wait without any progress before it is stale, in milliseconds. */
export interface StaleAges {
  /** Null without a custody API: then every deposit waits for ever, and that is known. */
  readonly depositMs: number | null;
  readonly withdrawalMs: number;
}

/**
 * Stale deposits (and as many withdrawals) that have a break each, the longest waiting first; the
 * rest is counted in the run. Whoever is told of a thousand does not need ten thousand.
 */
export const STALE_SHOWN_MAX = 1_000;

/** What a run counts the others as. */
export const STALE_NOT_SHOWN = 'stale_not_shown';

/**
 * Whether a deposit waits for something that should come by itself, or for an approval. What a
 * person, dust or a halt stops after it was verified waits on purpose.
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
    case 'internal':
    case 'rolled_back':
    case 'reversed':
      return false;
    default:
      return deposit.state satisfies never;
  }
}

/** What a stale deposit waits for, and what may be wrong. */
function waitText(deposit: Deposit): string {
  const unverified =
    'the custody API has not confirmed it: its status there is unknown or failed, or it cannot be asked';
  const { state, reason, requiredConfirmations, verifiedAt } = deposit;
  if (state === 'detected') {
    return 'no confirmation came after the mempool: its fee may be too low, or it was dropped';
  }
  if (state === 'confirming') return `it does not reach its ${requiredConfirmations} confirmations`;
  if (state !== 'held') return unverified;
  return reason === 'approval_required' && verifiedAt !== null
    ? 'nobody has approved it'
    : `held for ${reason}, and ${unverified}`;
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

/** What a run looks at to judge waiting times: the longest waiting, and what is open already. */
export interface Waiting {
  /** At most `STALE_SHOWN_MAX` of each, longest waiting first. */
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

/** Deposits and withdrawals that have waited too long at `at`, and those that wait no longer. */
export function decideStale(waiting: Waiting, ages: StaleAges, at: number): Changes {
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
  return changes({
    found: [
      ...waiting.deposits
        .filter(isStaleDeposit)
        .map((deposit) => staleDeposit(deposit, depositMs ?? 0)),
      ...waiting.withdrawals
        .filter(isStaleWithdrawal)
        .map((withdrawal) => staleWithdrawal(withdrawal, withdrawalMs)),
    ],
    healed: [
      ...waiting.openDeposits
        .filter(({ deposit }) => !isStaleDeposit(deposit))
        .map(({ found, deposit }) => ({
          key: found.key,
          reason: `it moved on: ${deposit?.state ?? 'gone'}`,
        })),
      ...waiting.openWithdrawals
        .filter(({ withdrawal }) => !isStaleWithdrawal(withdrawal))
        .map(({ found, withdrawal }) => ({
          key: found.key,
          reason: `it moved on: ${withdrawal?.status ?? 'gone'}`,
        })),
    ],
  });
}
