import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  isMisnamed,
  isRenamed,
  mayCorrect,
  skipped,
} from '../../domain/deposit/record/comparison.ts';
import { NO_POLICY } from '../../domain/policy/policy.ts';
import { disclaimed } from '../../domain/withdrawal/outgoing-handler.ts';
import type { CustodyTransaction } from '../../domain/fact/custody-record.ts';
import { isNamedByWebhooksAlone, type Deposit } from '../../domain/deposit/deposit.ts';
import type { KeyedHashState } from '../../domain/hash/hash-state.ts';
import { groupedBy } from '../../domain/grouped.ts';
import type { HashKey, TransactionId } from '../../domain/ids.ts';
import type { Withdrawal } from '../../domain/withdrawal/withdrawal.ts';
import type { Reads } from '../../store/reads.ts';
import {
  compareDepositRow,
  compareOutgoingRow,
  compareUnknownTransaction,
  compareUnseenRow,
  depositsOf,
  type Compared,
} from './comparison.ts';
import type { FirstReadings } from './first-readings.ts';
import { hashKeyOf, type Snapshot } from './snapshot.ts';
import { isJustRolledBack, mustBeReadAgain } from './older-row.ts';
import { mayBeUnsentTransfer, unsentTargets } from './unsent-transfer.ts';

/** Records that the custody API has not confirmed yet. */
export interface UnconfirmedRecords {
  readonly deposits: readonly Deposit[];
  readonly withdrawals: readonly Withdrawal[];
  /** Deposits held back only by a webhook's claim that their hash is our own transaction. */
  readonly disputed: readonly Deposit[];
}

export const NOTHING_UNCONFIRMED: UnconfirmedRecords = {
  deposits: [],
  withdrawals: [],
  disputed: [],
};

/** Records that the API does not know: answered 404 singly, or absent from a complete answer. */
export interface Absent {
  readonly absentDeposits: readonly Deposit[];
  readonly absentWithdrawals: readonly Withdrawal[];
  /** Absent withdrawals that the API may only hide for a moment: their absence releases no deposit. */
  readonly newlyAbsent: ReadonlySet<TransactionId>;
}

export const NOTHING_ABSENT: Absent = {
  absentDeposits: [],
  absentWithdrawals: [],
  newlyAbsent: new Set(),
};

/** Reads our side of these rows and hashes as one consistent snapshot. */
export async function takeSnapshot(
  rows: readonly CustodyTransaction[],
  context: {
    others: readonly HashKey[];
    /** Withdrawals compared without a custody row. */
    withdrawals: readonly Withdrawal[];
    reads: Reads;
    firstReadings: FirstReadings;
    now: () => number;
    graceMs: number;
  },
): Promise<Snapshot> {
  const { others, withdrawals, reads, firstReadings, now, graceMs } = context;
  const hashes = new Map<string, HashKey>();
  for (const { network, blockchainHash } of [...rows, ...others]) {
    if (blockchainHash === null) continue;
    hashes.set(hashKeyOf({ network, blockchainHash }), { network, blockchainHash });
  }
  const outgoing = rows.filter((row) => row.type === 'outgoing');
  const ids = new Set([...outgoing, ...withdrawals].map(({ transactionId }) => transactionId));
  const at = now();
  const rolledBackAfter = rows.reduce(
    (oldest, row) => Math.min(oldest, row.askedAfter ?? oldest),
    Infinity,
  );
  const view = await reads.reconcilerView({
    hashes: [...hashes.values()],
    transactionIds: [...ids],
    rolledBackAfter,
    received: rows.flatMap(({ type, transactionId, network, blockchainHash, ...row }) => {
      if (type !== 'incoming' || blockchainHash === null) return [];
      const { vaultId, accountId, addressId, memo } = row;
      return { transactionId, network, blockchainHash, vaultId, accountId, addressId, memo };
    }),
    unsent: outgoing.length < rows.length,
  });
  const hashStates = new Map(view.hashStates.map((one) => [hashKeyOf(one), one]));
  return {
    hashStates,
    withdrawals: new Map(view.withdrawals.map((one) => [one.transactionId, one])),
    ownHashes: byTransaction(view.hashStates),
    rollbacks: groupedBy(view.rollbacks, (one) => hashKeyOf(one)),
    verifiedElsewhere: groupedBy(view.verifiedElsewhere, (one) => one.transactionId),
    readSince: firstReadings.note(rows, { hashStates, at }),
    unsent: view.unsent,
    openBreaks: view.openBreaks,
    pinnedDecimals: view.pinnedDecimals,
    policy: view.policy ?? NO_POLICY,
    exemptions: view.exemptions,
    exempt: view.exempt,
    at,
    graceMs,
  };
}

function byTransaction(
  hashStates: readonly KeyedHashState[],
): ReadonlyMap<TransactionId, readonly KeyedHashState[]> {
  const found = new Map<TransactionId, KeyedHashState[]>();
  for (const hashState of hashStates) {
    for (const { transactionId } of hashState.ownHashes) {
      const known = found.get(transactionId);
      if (known === undefined) found.set(transactionId, [hashState]);
      else known.push(hashState);
    }
  }
  return found;
}

/** Groups rows by network and hash. */
function rowsByHash(
  transactions: ReadonlyMap<TransactionId, CustodyTransaction>,
): ReadonlyMap<string, readonly CustodyTransaction[]> {
  // Rows without a hash would share one key, thousands of them.
  return groupedBy(transactions.values(), (row) =>
    row.blockchainHash === null ? null : hashKeyOf(row),
  );
}

/** Deposits that no row matches. */
export function unlisted(
  deposits: readonly Deposit[],
  transactions: ReadonlyMap<TransactionId, CustodyTransaction>,
): Deposit[] {
  const byHash = rowsByHash(transactions);
  return deposits.filter((deposit) => {
    const { transactionId } = deposit;
    const named = transactionId === null ? undefined : transactions.get(transactionId);
    // A webhook may have claimed another transaction's id: that row does not describe this deposit.
    if (named !== undefined && !isMisnamed(deposit, named)) return false;
    return !(byHash.get(hashKeyOf(deposit)) ?? []).some(
      (row) => mayCorrect(deposit, row) || isRenamed(deposit, row),
    );
  });
}

/** Rows compared before yielding to the event loop: about 10 ms of work. */
const ROWS_PER_BATCH = 500;

/** Compares every row. Yields to the event loop between batches, so that intake does not wait. */
async function inBatches(
  rows: readonly CustodyTransaction[],
  compare: (row: CustodyTransaction) => readonly Compared[],
): Promise<Compared[]> {
  const compared: Compared[] = [];
  for (const [index, row] of rows.entries()) {
    compared.push(...compare(row));
    if ((index + 1) % ROWS_PER_BATCH === 0) await nextTurn();
  }
  return compared;
}

/** Compares own outgoing transactions first, because they decide which deposits are internal. */
export async function compareAll(context: {
  transactions: ReadonlyMap<TransactionId, CustodyTransaction>;
  absent: Absent;
  unconfirmed: UnconfirmedRecords;
  /** Hashes without an own transaction in the API, keyed by `hashKeyOf`. */
  disowned?: ReadonlySet<string>;
  /** Ids of credited or verified deposits that the API does not know any more. */
  renamed?: ReadonlySet<TransactionId>;
  snapshot: Snapshot;
}): Promise<Compared[]> {
  const { transactions, absent, unconfirmed, disowned, snapshot } = context;
  const renamed = context.renamed ?? new Set();
  const rows = [...transactions.values()];
  const sent = rows.filter((row) => row.type === 'outgoing');
  const outgoing = await inBatches(sent, (row) => [compareOutgoingRow(row, snapshot)]);
  const own = new Set(sent.filter((row) => row.blockchainHash !== null).map(hashKeyOf));
  const targets = unsentTargets(snapshot.unsent, transactions);
  const received = rows.filter((row) => row.type === 'incoming');
  const incoming = await inBatches(received, (row) => {
    if (mustBeReadAgain(row, snapshot)) return [notCompared(row)];
    const elsewhere = snapshot.verifiedElsewhere.get(row.transactionId);
    if (elsewhere !== undefined) {
      // One transaction, one credit: while it is verified or credited elsewhere, its other deposits
      // wait. This row ends a verification without a credit.
      const given = elsewhere.map((deposit) => compareDepositRow(deposit, row, snapshot));
      return [notCompared(row), ...given];
    }
    const isUndecided = rolledBackUnderAnotherId(row, snapshot).some((id) => !renamed.has(id));
    if (isUndecided) return [notCompared(row)];
    const deposits = depositsOf(row, snapshot).map((deposit) => {
      if (own.has(hashKeyOf(deposit))) return { ...deposit, ownTransfer: true };
      // The writer applies the record that disowns the hash first; compare with that state.
      return disowned?.has(hashKeyOf(deposit)) ? disclaimed(deposit) : deposit;
    });
    if (mayBeUnsentTransfer({ row, deposits }, targets, snapshot)) return [notCompared(row)];
    // A deposit whose id a webhook forged is not the row's: the row may have none yet.
    const isUnseen = deposits.every((deposit) => isMisnamed(deposit, row));
    const compared = [
      ...deposits.map((deposit) => compareDepositRow(deposit, row, snapshot)),
      ...(isUnseen ? [compareUnseenRow(row, snapshot)] : []),
    ];
    return isJustRolledBack(row, snapshot) ? compared.map(unrepaired) : compared;
  });
  const misnamed = unconfirmed.withdrawals.filter(
    ({ transactionId }) => transactions.get(transactionId)?.type === 'incoming',
  );
  const unknown = [...absent.absentWithdrawals, ...misnamed].map((withdrawal) =>
    compareUnknownTransaction(withdrawal, {
      snapshot,
      isReleased: (deposit) =>
        !absent.newlyAbsent.has(withdrawal.transactionId) ||
        disowned?.has(hashKeyOf(deposit)) === true,
    }),
  );
  const gone = absent.absentDeposits.map((deposit) => compareDepositRow(deposit, null, snapshot));
  const misplaced = misplacedDeposits(unconfirmed.deposits, transactions).map(({ deposit, row }) =>
    compareDepositRow(deposit, row, snapshot),
  );
  return [...outgoing, ...unknown, ...incoming, ...gone, ...misplaced];
}

/**
 * The ids of credited or verified deposits at a rolled-back row's position, when the row has another
 * id. The row may be of the transaction as it was before it was mined again under the deposit's id.
 */
export function rolledBackUnderAnotherId(
  row: CustodyTransaction,
  snapshot: Snapshot,
): TransactionId[] {
  if (row.type !== 'incoming' || row.status !== 'rolledback') return [];
  return depositsOf(row, snapshot).flatMap((deposit) => {
    const { transactionId } = deposit;
    const isOther = transactionId !== null && transactionId !== row.transactionId;
    return isOther && !isNamedByWebhooksAlone(deposit) ? transactionId : [];
  });
}

/**
 * A comparison that repairs nothing yet. The row may be as it was before a rollback: a confirmation
 * booked from it would count as a webhook, and its depth would credit a deposit that is gone.
 */
function unrepaired(compared: Compared): Compared {
  return { ...compared, missed: null };
}

/** A row that says nothing: a newer one must be read. */
function notCompared(row: CustodyTransaction): Compared {
  return { outcome: skipped('custody_behind'), record: null, missed: null, again: row };
}

/**
 * Deposits whose transactionId belongs to a different transaction in the API: another hash, vault
 * or direction. A deposit with a row of its own under another id is compared with that row.
 */
function misplacedDeposits(
  deposits: readonly Deposit[],
  transactions: ReadonlyMap<TransactionId, CustodyTransaction>,
): { deposit: Deposit; row: CustodyTransaction }[] {
  const byHash = rowsByHash(transactions);
  return deposits.flatMap((deposit) => {
    const { transactionId } = deposit;
    const row = transactionId === null ? undefined : transactions.get(transactionId);
    if (row === undefined) return [];
    const belongs =
      row.type === 'incoming' &&
      row.vaultId === deposit.vaultId &&
      row.network === deposit.network &&
      row.blockchainHash === deposit.blockchainHash;
    if (belongs) return [];
    const rows = byHash.get(hashKeyOf(deposit)) ?? [];
    const own = rows.some((one) => one !== row && mayCorrect(deposit, one));
    return own ? [] : [{ deposit, row }];
  });
}
