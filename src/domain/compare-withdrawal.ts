import { ZERO, type Amount } from './amount.ts';
import {
  inGrace,
  MATCHED,
  skipped,
  transactionFinding,
  type Grace,
  type Outcome,
} from './compare.ts';
import { sumsByAsset } from './content.ts';
import type { CustodyTransaction } from './custody.ts';
import type { AssetId } from './ids.ts';
import type { BalanceChange } from './notification.ts';
import {
  advances,
  isTerminal,
  isTerminalStatus,
  knownStatus,
  type Withdrawal,
  type WithdrawalStatus,
} from './withdrawal.ts';

/** The first asset of which two lists do not move the same. */
export function firstDifference(
  theirs: readonly BalanceChange[],
  ours: readonly BalanceChange[],
): { asset: AssetId; expected: Amount; actual: Amount } | undefined {
  const [expected, actual] = [sumsByAsset(theirs), sumsByAsset(ours)];
  return [...new Set([...expected.keys(), ...actual.keys()])]
    .map((asset) => ({
      asset,
      expected: expected.get(asset) ?? ZERO,
      actual: actual.get(asset) ?? ZERO,
    }))
    .find((one) => one.expected !== one.actual);
}

/** Whether the API has it in another vault or network: then it is posted in the wrong place. */
export function isElsewhere(withdrawal: Withdrawal, record: CustodyTransaction): boolean {
  const { vaultId, network } = withdrawal;
  return vaultId !== record.vaultId || (network !== null && network !== record.network);
}

function placeMismatch(withdrawal: Withdrawal, record: CustodyTransaction): Outcome {
  const { vaultId, network } = withdrawal;
  return transactionFinding('status_mismatch', record, {
    severity: 'critical',
    detail: `the custody API has it in vault ${record.vaultId} on ${record.network}, the notifications in vault ${vaultId} on ${network}`,
  });
}

function compareMined(withdrawal: Withdrawal, record: CustodyTransaction): Outcome {
  const { blockchainHash } = withdrawal;
  if (record.changes === null) return skipped('balance_changes_pending');
  const difference = firstDifference(record.changes, withdrawal.posted);
  if (difference !== undefined) {
    const { asset, expected, actual } = difference;
    return transactionFinding('amount_mismatch', record, {
      ...difference,
      detail: `the custody API says the transaction moved ${expected} ${asset}, the notifications say ${actual}`,
    });
  }
  if (blockchainHash === record.blockchainHash) return MATCHED;
  return transactionFinding('status_mismatch', record, {
    detail: `the custody API says mined as ${record.blockchainHash}, the notifications say as ${blockchainHash}`,
  });
}

/**
 * Ours has ended and theirs is on its way: the API may be behind, but not for ever. What it will
 * say is not known, so nothing follows from it but the difference.
 */
function compareUnended(withdrawal: Withdrawal, record: CustodyTransaction, grace: Grace): Outcome {
  if (inGrace(withdrawal.updatedAt, grace)) return skipped('custody_behind');
  return transactionFinding('status_mismatch', record, {
    detail: `the notifications say ${withdrawal.status}, and the custody API still says ${record.status}`,
  });
}

/**
 * A withdrawal (undefined when no notification told of it) against the custody API's record:
 * place, status, and for a mined one its hash and what it moved.
 */
export function compareWithdrawal(
  withdrawal: Withdrawal | undefined,
  record: CustodyTransaction,
  grace: Grace,
): Outcome {
  const theirs = knownStatus(record.status);
  if (theirs === undefined) return skipped('unknown_status');
  if (withdrawal !== undefined && isElsewhere(withdrawal, record)) {
    return placeMismatch(withdrawal, record);
  }
  if (withdrawal !== undefined && withdrawal.status === theirs) {
    return theirs === 'mined' ? compareMined(withdrawal, record) : MATCHED;
  }
  if (!isTerminalStatus(theirs)) {
    // Steps on the way are informational: not every transaction emits all of them.
    return withdrawal !== undefined && isTerminal(withdrawal)
      ? compareUnended(withdrawal, record, grace)
      : MATCHED;
  }
  if (inGrace(record.updatedAt, grace)) return skipped('in_grace');
  const ours = withdrawal?.status ?? null;
  if (!advances(ours, theirs)) {
    return transactionFinding('status_mismatch', record, {
      detail: `the custody API says ${theirs}, the notifications say ${ours}`,
    });
  }
  return transactionFinding('missing_notification', record, {
    detail: `the custody API says ${theirs} and no ${theirs} notification arrived (last known: ${ours ?? 'nothing'})`,
  });
}

/** Ends that no other follows at the API: a record that tells one cannot be behind. */
const FINAL = new Set<WithdrawalStatus>(['failed', 'cancelled', 'replaced', 'rolledback']);

/**
 * Whether a record that contradicts ours has the last word. `mined` has it over another `mined`: what
 * was mined as, where and how much, never changes. Over another end it has it past the grace: a
 * record may be behind a rollback, but not for ever, and the end was told by a webhook alone. A
 * record on its way has it for the place alone.
 */
export function hasLastWord(
  record: CustodyTransaction,
  withdrawal: Withdrawal,
  grace: Grace,
): boolean {
  const theirs = knownStatus(record.status);
  if (theirs === undefined || (theirs === 'mined' && record.changes === null)) return false;
  if (isElsewhere(withdrawal, record)) return true;
  if (FINAL.has(theirs)) return true;
  if (theirs !== 'mined' || !isTerminal(withdrawal)) return false;
  return withdrawal.status === 'mined' || !inGrace(withdrawal.updatedAt, grace);
}
