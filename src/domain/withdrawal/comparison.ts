import {
  inGrace,
  MATCHED,
  skipped,
  transactionFinding,
  type Grace,
  type Outcome,
} from '../deposit/record/comparison.ts';
import { isSameAddress } from '../deposit/record/on-chain-address.ts';
import { firstDifference, sameContent, sameSums } from '../hash/same-changes.ts';
import type { CustodyTransaction } from '../fact/custody-record.ts';
import { breakKey } from '../break/break.ts';
import type { TransactionId } from '../ids.ts';
import type { BalanceChange, ChangeKind } from '../fact/notification.ts';
import {
  advances,
  isTerminal,
  isTerminalStatus,
  knownStatus,
  TERMINAL_STATUSES,
  type Withdrawal,
  type WithdrawalStatus,
} from './withdrawal.ts';

/** Whether the API has the transaction in another vault or network than ours. */
export function isElsewhere(withdrawal: Withdrawal, record: CustodyTransaction): boolean {
  const { vaultId, network } = withdrawal;
  return vaultId !== record.vaultId || (network !== null && network !== record.network);
}

function vaultMismatch(withdrawal: Withdrawal, record: CustodyTransaction): Outcome {
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
  if (blockchainHash !== record.blockchainHash) {
    return transactionFinding('status_mismatch', record, {
      detail: `the custody API says mined as ${record.blockchainHash}, the notifications say as ${blockchainHash}`,
    });
  }
  const detail = splitOtherwise(record.changes, withdrawal.posted);
  return detail === null ? MATCHED : transactionFinding('amount_mismatch', record, { detail });
}

/** What names an order for the client, and its recipient. */
const ORDER = ['orderId', 'destinationAddress', 'memo'] as const;

/**
 * Compares the order that the transaction carries out. The client may pay an order again that
 * another transaction seems to carry out. What one side does not name is no difference.
 */
function compareOrder(withdrawal: Withdrawal, record: CustodyTransaction): Outcome {
  for (const name of ORDER) {
    const [theirs, ours] = [record[name], withdrawal[name]];
    if (theirs === null || ours === null || isSameAddress(theirs, ours)) continue;
    return transactionFinding('status_mismatch', record, {
      detail: `the custody API says ${name} ${quoted(theirs)}, the notifications say ${quoted(ours)}`,
    });
  }
  return MATCHED;
}

/** Webhooks may bring a name of any length. */
function quoted(name: string): string {
  return JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name);
}

/** Kinds that are entries of their own (spec, "Tags on balance change entries"). */
const OWN_ENTRIES = ['fee', 'rebate', 'mint'] as const satisfies readonly ChangeKind[];

/** How lists with equal sums differ, in words: another fee, or another address. Null: not at all. */
function splitOtherwise(
  theirs: readonly BalanceChange[],
  ours: readonly BalanceChange[],
): string | null {
  // Most records return here.
  if (sameContent(theirs, ours)) return null;
  for (const kind of OWN_ENTRIES) {
    const ofKind = (list: readonly BalanceChange[]) => list.filter((one) => one.kind === kind);
    const difference = firstDifference(ofKind(theirs), ofKind(ours));
    if (difference === undefined) continue;
    const { asset, expected, actual } = difference;
    return `the custody API says the ${kind} was ${expected} ${asset}, the notifications say ${actual}`;
  }
  const level = levelOf(theirs);
  return level !== levelOf(ours) ||
    sameSums(atPositions(theirs, level), atPositions(ours, level), 'address')
    ? null
    : 'the custody API shows the entries at other accounts or addresses than the notifications do';
}

type Level = 'address' | 'account' | 'vault';

/** The level of the entries' positions (spec, "Aggregation per stream"). */
function levelOf(list: readonly BalanceChange[]): Level {
  if (list.every(({ addressId }) => addressId !== null)) return 'address';
  return list.every(({ accountId }) => accountId !== null) ? 'account' : 'vault';
}

/** The entries by position alone, as far as both sides name it. */
function atPositions(list: readonly BalanceChange[], level: Level): BalanceChange[] {
  return list.map(({ accountId, addressId, ...change }) => ({
    ...change,
    kind: 'transfer',
    accountId: level === 'vault' ? null : accountId,
    addressId: level === 'address' ? addressId : null,
  }));
}

/**
 * Whether the API's record on its way is behind our withdrawal: ours has ended, or has a hash that the
 * record lacks. Other statuses are informational: not every transaction emits all of them.
 */
function isBehind(record: CustodyTransaction, withdrawal: Withdrawal): boolean {
  const { blockchainHash } = withdrawal;
  const hasOtherHash = blockchainHash !== null && blockchainHash !== record.blockchainHash;
  return isTerminal(withdrawal) || hasOtherHash;
}

/**
 * The API's record is behind our withdrawal, which it may be, but not forever. Or it has just got
 * another hash, whose notification may arrive. Its final status is unknown, so only the difference is
 * reported. It has a key of its own: how long the API was behind does not count for a difference that
 * follows it.
 */
function compareBehind(withdrawal: Withdrawal, record: CustodyTransaction, grace: Grace): Outcome {
  const changedAt = Math.max(withdrawal.updatedAt, record.updatedAt);
  if (inGrace(changedAt, grace)) return skipped('custody_behind');
  const theirHash =
    record.blockchainHash === null ? 'without a hash' : `as ${record.blockchainHash}`;
  return transactionFinding('status_mismatch', record, {
    key: behindKey(record.transactionId),
    detail: isTerminal(withdrawal)
      ? `the notifications say ${withdrawal.status}, and the custody API still says ${record.status}`
      : `the notifications say ${withdrawal.status} as ${withdrawal.blockchainHash}, and the custody API still says ${record.status} ${theirHash}: deposits of that hash stay held for internal`,
  });
}

/** The key of the break about a withdrawal whose record at the API is behind. */
export function behindKey(transactionId: TransactionId): string {
  return breakKey('status_mismatch', transactionId, 'unended');
}

/**
 * Compares a withdrawal with its custody API record: vault and network, status, and for a mined one
 * its hash and amounts. `withdrawal`: undefined when no notification reported it. A missing
 * intermediate status is no difference (the specification, section "Outgoing transaction progress",
 * rule 2). An unknown status is `skipped`.
 */
export function compareWithdrawal(
  withdrawal: Withdrawal | undefined,
  record: CustodyTransaction,
  grace: Grace,
): Outcome {
  const theirs = knownStatus(record.status);
  if (theirs === undefined) return skipped('unknown_status');
  if (withdrawal !== undefined && isElsewhere(withdrawal, record)) {
    return vaultMismatch(withdrawal, record);
  }
  if (!isTerminalStatus(theirs) && withdrawal !== undefined && isBehind(record, withdrawal)) {
    return compareBehind(withdrawal, record, grace);
  }
  if (withdrawal !== undefined && withdrawal.status === theirs) {
    const outcome = theirs === 'mined' ? compareMined(withdrawal, record) : MATCHED;
    return outcome.kind === 'matched' ? compareOrder(withdrawal, record) : outcome;
  }
  if (!isTerminalStatus(theirs)) return MATCHED;
  if (inGrace(record.updatedAt, grace)) return skipped('in_grace');
  const ours = withdrawal?.status ?? null;
  if (!advances(ours, theirs)) {
    return transactionFinding('status_mismatch', record, {
      detail: `the custody API says ${theirs}, the notifications say ${ours}`,
    });
  }
  return transactionFinding('missing_notification', record, {
    key: missingKey(record.transactionId, withdrawal, theirs),
    detail: `the custody API says ${theirs} and no ${theirs} notification arrived (last known: ${ours ?? 'nothing'})`,
  });
}

/**
 * The key of the break about a missing notification. If the withdrawal has ended, the key names the
 * missing status: the end that we know does not show that the later notification arrived.
 */
function missingKey(
  transactionId: TransactionId,
  withdrawal: Withdrawal | undefined,
  theirs: WithdrawalStatus,
): string {
  const hasEnded = withdrawal !== undefined && isTerminal(withdrawal);
  return hasEnded
    ? breakKey('missing_notification', transactionId, theirs)
    : breakKey('missing_notification', transactionId);
}

/** Every key that breaks about missing notifications of a transaction can have. */
export function missingKeys(transactionId: TransactionId): readonly string[] {
  return [
    breakKey('missing_notification', transactionId),
    ...TERMINAL_STATUSES.map((status) => breakKey('missing_notification', transactionId, status)),
  ];
}

/** Whether the missing notification of the break with this key has arrived. */
export function hasArrived(key: string, withdrawal: Withdrawal): boolean {
  const status = TERMINAL_STATUSES.find(
    (one) => key === breakKey('missing_notification', withdrawal.transactionId, one),
  );
  return status === undefined ? isTerminal(withdrawal) : !advances(withdrawal.status, status);
}

/** Final statuses at the API: no other status follows, so a record with one is never behind. */
const FINAL = new Set<WithdrawalStatus>(['failed', 'cancelled', 'replaced', 'rolledback']);

/**
 * Whether a contradicting record corrects our withdrawal. A final status does, at once. `mined`
 * corrects another final status only if the difference `lasts`: its break has been open for the
 * grace period. The API may have answered before a rollback, even if the record is compared long
 * after it. `mined` corrects another `mined` at once if it is not older than our news: mined again
 * in another block, a transaction may have another fee. A record on its way corrects only the vault
 * and network.
 */
export function correctsWithdrawal(
  record: CustodyTransaction,
  withdrawal: Withdrawal,
  lasts: boolean,
): boolean {
  const theirs = knownStatus(record.status);
  if (theirs === undefined || (theirs === 'mined' && record.changes === null)) return false;
  if (isElsewhere(withdrawal, record)) return true;
  if (FINAL.has(theirs)) return true;
  if (theirs !== 'mined' || !isTerminal(withdrawal)) return false;
  return lasts || (withdrawal.status === 'mined' && record.updatedAt >= withdrawal.updatedAt);
}
