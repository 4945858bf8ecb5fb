import { setImmediate as nextTurn } from 'node:timers/promises';
import { isMisnamed, mayCorrect } from '../domain/compare.ts';
import { NO_POLICY } from '../domain/crediting.ts';
import { disclaimed } from '../domain/decide-outgoing.ts';
import type { CustodyTransaction } from '../domain/custody.ts';
import type { Deposit } from '../domain/deposit.ts';
import type { HashDossier } from '../domain/dossier.ts';
import { groupedBy } from '../domain/grouped.ts';
import type { HashKey, TransactionId } from '../domain/ids.ts';
import type { Withdrawal } from '../domain/withdrawal.ts';
import type { Reads } from '../store/reads.ts';
import {
  compareDepositRow,
  compareOutgoingRow,
  compareUnknownTransaction,
  compareUnseenRow,
  depositsOf,
  dossierKeyOf,
  type Compared,
  type Snapshot,
} from './comparison.ts';

/** What the custody API still has to be asked about. */
export interface Waiting {
  readonly deposits: readonly Deposit[];
  readonly withdrawals: readonly Withdrawal[];
  /** Deposits that nothing keeps from a credit but webhooks about transactions that nobody has seen. */
  readonly disputed: readonly Deposit[];
}

export const NOTHING_WAITING: Waiting = { deposits: [], withdrawals: [], disputed: [] };

/** What the API answered 404 for, in single look-ups and whole answers of its own. */
export interface Absent {
  readonly absentDeposits: readonly Deposit[];
  readonly absentWithdrawals: readonly Withdrawal[];
}

export const NOTHING_ABSENT: Absent = { absentDeposits: [], absentWithdrawals: [] };

/** Our side of these rows and hashes, at one moment. */
export async function takeSnapshot(
  rows: readonly CustodyTransaction[],
  context: {
    others: readonly HashKey[];
    /** Withdrawals that are compared without a row. */
    withdrawals: readonly Withdrawal[];
    reads: Reads;
    now: () => number;
    graceMs: number;
  },
): Promise<Snapshot> {
  const { others, withdrawals, reads, now, graceMs } = context;
  const hashes = new Map<string, HashKey>();
  for (const { network, blockchainHash } of [...rows, ...others]) {
    if (blockchainHash === null) continue;
    hashes.set(dossierKeyOf({ network, blockchainHash }), { network, blockchainHash });
  }
  const outgoing = rows.filter((row) => row.type === 'outgoing');
  const ids = new Set([...outgoing, ...withdrawals].map(({ transactionId }) => transactionId));
  const view = await reads.reconcilerView({
    hashes: [...hashes.values()],
    transactionIds: [...ids],
  });
  return {
    dossiers: new Map(view.dossiers.map((one) => [dossierKeyOf(one), one])),
    withdrawals: new Map(view.withdrawals.map((one) => [one.transactionId, one])),
    ownHashes: byTransaction(view.dossiers),
    openBreaks: view.openBreaks,
    pinnedDecimals: view.pinnedDecimals,
    policy: view.policy ?? NO_POLICY,
    exemptions: view.exemptions,
    exempt: view.exempt,
    at: now(),
    graceMs,
  };
}

function byTransaction(
  dossiers: readonly HashDossier[],
): ReadonlyMap<TransactionId, readonly HashDossier[]> {
  const found = new Map<TransactionId, HashDossier[]>();
  for (const dossier of dossiers) {
    for (const { transactionId } of dossier.ownHashes) {
      const known = found.get(transactionId);
      if (known === undefined) found.set(transactionId, [dossier]);
      else known.push(dossier);
    }
  }
  return found;
}

/** Rows by the hash that they name. */
function rowsByHash(
  transactions: ReadonlyMap<TransactionId, CustodyTransaction>,
): ReadonlyMap<string, readonly CustodyTransaction[]> {
  // All that has no hash would be under one key, thousands of rows.
  return groupedBy(transactions.values(), (row) =>
    row.blockchainHash === null ? null : dossierKeyOf(row),
  );
}

/** Those of the deposits that no row is about. */
export function unlisted(
  deposits: readonly Deposit[],
  transactions: ReadonlyMap<TransactionId, CustodyTransaction>,
): Deposit[] {
  const byHash = rowsByHash(transactions);
  return deposits.filter((deposit) => {
    const { transactionId } = deposit;
    const named = transactionId === null ? undefined : transactions.get(transactionId);
    // Webhooks may have given it the id of another transaction: that row says nothing about it.
    if (named !== undefined && !isMisnamed(deposit, named)) return false;
    return !(byHash.get(dossierKeyOf(deposit)) ?? []).some((row) => mayCorrect(deposit, row));
  });
}

/** Rows compared between two turns of the event loop: some 10 ms, and there may be 20,000. */
const ROWS_PER_TURN = 500;

/** What each row comes to, with turns of the event loop in between: intake must not wait for all. */
async function inTurns(
  rows: readonly CustodyTransaction[],
  compare: (row: CustodyTransaction) => readonly Compared[],
): Promise<Compared[]> {
  const compared: Compared[] = [];
  for (const [index, row] of rows.entries()) {
    compared.push(...compare(row));
    if ((index + 1) % ROWS_PER_TURN === 0) await nextTurn();
  }
  return compared;
}

/** Own outgoing transactions first: they decide which deposits are internal. */
export async function compareAll(context: {
  transactions: ReadonlyMap<TransactionId, CustodyTransaction>;
  absent: Absent;
  waiting: Waiting;
  /** Hashes that the API knows no own transaction under, as `dossierKeyOf` names them. */
  disowned?: ReadonlySet<string>;
  snapshot: Snapshot;
}): Promise<Compared[]> {
  const { transactions, absent, waiting, disowned, snapshot } = context;
  const rows = [...transactions.values()];
  const sent = rows.filter((row) => row.type === 'outgoing');
  const outgoing = await inTurns(sent, (row) => [compareOutgoingRow(row, snapshot)]);
  const own = new Set(sent.filter((row) => row.blockchainHash !== null).map(dossierKeyOf));
  const received = rows.filter((row) => row.type === 'incoming');
  const incoming = await inTurns(received, (row) => {
    const deposits = depositsOf(row, snapshot).map((deposit) => {
      if (own.has(dossierKeyOf(deposit))) return { ...deposit, ownTransfer: true };
      // As the writer will find it, after the record by which its hash is disowned.
      return disowned?.has(dossierKeyOf(deposit)) ? disclaimed(deposit) : deposit;
    });
    return deposits.length === 0
      ? [compareUnseenRow(row, snapshot)]
      : deposits.map((deposit) => compareDepositRow(deposit, row, snapshot));
  });
  const misnamed = waiting.withdrawals.filter(
    ({ transactionId }) => transactions.get(transactionId)?.type === 'incoming',
  );
  const unknown = [...absent.absentWithdrawals, ...misnamed].map((withdrawal) =>
    compareUnknownTransaction(withdrawal, snapshot),
  );
  const gone = absent.absentDeposits.map((deposit) => compareDepositRow(deposit, null, snapshot));
  const misplaced = misplacedDeposits(waiting.deposits, transactions).map(({ deposit, row }) =>
    compareDepositRow(deposit, row, snapshot),
  );
  return [...outgoing, ...unknown, ...incoming, ...gone, ...misplaced];
}

/**
 * Deposits whose transactionId the API knows as something else: another hash, vault or direction.
 * One whose own row is there, under another id, is compared with that.
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
    const placed =
      row.type === 'incoming' &&
      row.vaultId === deposit.vaultId &&
      row.network === deposit.network &&
      row.blockchainHash === deposit.blockchainHash;
    if (placed) return [];
    const rows = byHash.get(dossierKeyOf(deposit)) ?? [];
    const own = rows.some((one) => one !== row && mayCorrect(deposit, one));
    return own ? [] : [{ deposit, row }];
  });
}
