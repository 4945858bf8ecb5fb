import { samePlace } from '../domain/compare.ts';
import { NO_POLICY } from '../domain/crediting.ts';
import type { CustodyTransaction } from '../domain/custody.ts';
import type { Deposit } from '../domain/deposit.ts';
import type { BlockchainHash, NetworkKey, TransactionId } from '../domain/ids.ts';
import type { Reads } from '../store/reads.ts';
import {
  compareDepositRow,
  compareOutgoingRow,
  compareUnseenRow,
  depositsOf,
  dossierKeyOf,
  type Compared,
  type Snapshot,
} from './comparison.ts';

/** Our side of these rows and hashes, at one moment. */
export async function takeSnapshot(
  rows: readonly CustodyTransaction[],
  context: {
    others: readonly { network: NetworkKey; blockchainHash: BlockchainHash }[];
    reads: Reads;
    now: () => number;
    graceMs: number;
  },
): Promise<Snapshot> {
  const { others, reads, now, graceMs } = context;
  const hashes = new Map<string, { network: NetworkKey; blockchainHash: BlockchainHash }>();
  for (const { network, blockchainHash } of [...rows, ...others]) {
    if (blockchainHash === null) continue;
    hashes.set(dossierKeyOf({ network, blockchainHash }), { network, blockchainHash });
  }
  const ids: TransactionId[] = rows
    .filter((row) => row.type === 'outgoing')
    .map((row) => row.transactionId);
  const view = await reads.reconcilerView({ hashes: [...hashes.values()], transactionIds: ids });
  return {
    dossiers: new Map(view.dossiers.map((one) => [dossierKeyOf(one), one])),
    withdrawals: new Map(view.withdrawals.map((one) => [one.transactionId, one])),
    openBreaks: view.openBreaks,
    pinnedDecimals: view.pinnedDecimals,
    policy: view.policy ?? NO_POLICY,
    exemptions: view.exemptions,
    exempt: view.exempt,
    at: now(),
    graceMs,
  };
}

/** Those of the deposits that no row is about. */
export function unlisted(
  deposits: readonly Deposit[],
  transactions: ReadonlyMap<TransactionId, CustodyTransaction>,
): Deposit[] {
  const byHash = new Map<string, CustodyTransaction[]>();
  for (const row of transactions.values()) {
    const key = dossierKeyOf(row);
    byHash.set(key, [...(byHash.get(key) ?? []), row]);
  }
  return deposits.filter((deposit) => {
    const { transactionId } = deposit;
    if (transactionId !== null) return !transactions.has(transactionId);
    return !(byHash.get(dossierKeyOf(deposit)) ?? []).some((row) => samePlace(deposit, row));
  });
}

/** Own outgoing transactions first: they decide which deposits are internal. */
export function compareAll(context: {
  transactions: ReadonlyMap<TransactionId, CustodyTransaction>;
  absent: readonly Deposit[];
  waiting: readonly Deposit[];
  snapshot: Snapshot;
}): Compared[] {
  const { transactions, absent, snapshot } = context;
  const rows = [...transactions.values()];
  const outgoing = rows
    .filter((row) => row.type === 'outgoing')
    .map((row) => compareOutgoingRow(row, snapshot));
  const own = new Set(
    rows.filter((row) => row.type === 'outgoing' && row.blockchainHash !== null).map(dossierKeyOf),
  );
  const incoming = rows
    .filter((row) => row.type === 'incoming')
    .flatMap((row) => {
      const deposits = depositsOf(row, snapshot).map((deposit) =>
        own.has(dossierKeyOf(deposit)) ? { ...deposit, ownTransfer: true } : deposit,
      );
      return deposits.length === 0
        ? [compareUnseenRow(row, snapshot)]
        : deposits.map((deposit) => compareDepositRow(deposit, row, snapshot));
    });
  const gone = absent.map((deposit) => compareDepositRow(deposit, null, snapshot));
  const misplaced = misplacedDeposits(context).map(({ deposit, row }) =>
    compareDepositRow(deposit, row, snapshot),
  );
  return [...outgoing, ...incoming, ...gone, ...misplaced];
}

/** Deposits whose transactionId the API knows as something else: another hash, vault or direction. */
function misplacedDeposits(context: {
  transactions: ReadonlyMap<TransactionId, CustodyTransaction>;
  waiting: readonly Deposit[];
}): { deposit: Deposit; row: CustodyTransaction }[] {
  return context.waiting.flatMap((deposit) => {
    const row =
      deposit.transactionId === null ? undefined : context.transactions.get(deposit.transactionId);
    if (row === undefined) return [];
    const placed =
      row.type === 'incoming' &&
      row.vaultId === deposit.vaultId &&
      row.network === deposit.network &&
      row.blockchainHash === deposit.blockchainHash;
    return placed ? [] : [{ deposit, row }];
  });
}
