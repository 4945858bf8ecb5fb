import type { CustodyClient } from '../custody/client.ts';
import type { Break } from '../domain/break.ts';
import type { CustodyRecord, CustodyTransaction } from '../domain/custody.ts';
import { groupedBy } from '../domain/grouped.ts';
import type { TransactionId, VaultId } from '../domain/ids.ts';

/** Vaults asked about per run beyond what repairs have seen anyway: one or two requests each. */
const VAULTS_PER_RUN = 5;

/** What the custody service's list of a transaction's notifications showed. */
export interface SeenDeliveries {
  /** Its notification is overdue: what waits of it has waited for longer than the grace period. */
  readonly transaction: CustodyTransaction;
  readonly pending: boolean;
}

interface Visit {
  readonly custody: CustodyClient;
  readonly seen: readonly SeenDeliveries[];
  /** Transactions whose notification is overdue. */
  readonly missed: readonly CustodyTransaction[];
  /** Unresolved breaks; those of other types are passed over. */
  readonly open: Iterable<Break>;
  readonly deadlineMs: number;
}

interface Watched {
  readonly records: readonly CustodyRecord[];
  readonly requests: number;
}

/**
 * Tells whether notifications of a vault wait at the custody service because it cannot deliver to us.
 * A vault's notifications are delivered in order (spec, "Delivery rules", 2): when those of its newest
 * overdue transaction have been delivered, nothing before them waits.
 */
export async function watchBacklogs(visit: Visit): Promise<Watched> {
  const records: CustodyRecord[] = [];
  const waiting = waitingByVault(visit.seen);
  const known = new Map<VaultId, TransactionId>();
  for (const { type, subject } of visit.open) {
    if (type !== 'delivery_backlog' || subject.vaultId === null) continue;
    if (subject.transactionId !== null) known.set(subject.vaultId, subject.transactionId);
  }
  let requests = 0;
  let asked = 0;
  let isReachable = true;
  for (const [vaultId, transactionId] of known) {
    if (asked === VAULTS_PER_RUN) break;
    asked += 1;
    const probed = await probe(transactionId, visit);
    requests += 1;
    isReachable = probed !== 'unreachable';
    if (!isReachable) break;
    if (probed === 'pending') {
      waiting.delete(vaultId);
      requests += 1;
      await pullForward(vaultId, visit);
    } else if (probed === 'clear' && !waiting.has(vaultId)) {
      records.push({ kind: 'backlog', vaultId, backlog: null });
    }
  }
  for (const [vaultId, overdue] of newestOf(visit.missed)) {
    if (!isReachable || asked === VAULTS_PER_RUN) break;
    if (
      known.has(vaultId) ||
      visit.seen.some(({ transaction }) => transaction.vaultId === vaultId)
    ) {
      continue;
    }
    asked += 1;
    const probed = await probe(overdue.transactionId, visit);
    requests += 1;
    isReachable = probed !== 'unreachable';
    if (probed === 'pending') waiting.set(vaultId, [overdue]);
  }
  for (const [vaultId, overdue] of waiting) records.push(backlogRecord(vaultId, overdue));
  return { records, requests };
}

/** Overdue transactions with something that waits, by vault. */
function waitingByVault(seen: readonly SeenDeliveries[]): Map<VaultId, CustodyTransaction[]> {
  const waiting = seen.filter(({ pending }) => pending).map(({ transaction }) => transaction);
  return groupedBy(waiting, ({ vaultId }) => vaultId);
}

function newestOf(missed: readonly CustodyTransaction[]): Map<VaultId, CustodyTransaction> {
  const newest = new Map<VaultId, CustodyTransaction>();
  for (const transaction of missed) {
    const before = newest.get(transaction.vaultId);
    if (before === undefined || before.updatedAt < transaction.updatedAt) {
      newest.set(transaction.vaultId, transaction);
    }
  }
  return newest;
}

function backlogRecord(vaultId: VaultId, overdue: readonly CustodyTransaction[]): CustodyRecord {
  const [newest = null] = newestOf(overdue).values();
  const since = Math.min(...overdue.map((transaction) => transaction.updatedAt));
  const backlog = newest === null ? null : { transactionId: newest.transactionId, since };
  return { kind: 'backlog', vaultId, backlog };
}

function optionsOf({ deadlineMs }: Visit) {
  return { priority: 'repair', deadlineMs } as const;
}

async function probe(
  transactionId: TransactionId,
  visit: Visit,
): Promise<'pending' | 'clear' | 'unreadable' | 'unreachable'> {
  const { subscriptions } = visit.custody;
  const listed = await subscriptions.notifications(transactionId, optionsOf(visit));
  switch (listed.kind) {
    case 'ok':
      return listed.value.some((row) => row.status === 'pending') ? 'pending' : 'clear';
    case 'not-found':
      // What the service does not know any more, it will not deliver.
      return 'clear';
    case 'refused':
    case 'malformed':
      return 'unreadable';
    case 'unavailable':
    case 'rate-budget':
      return 'unreachable';
    default:
      return listed satisfies never;
  }
}

/** Accumulated backoff gates what waits, also when we can be reached again (spec, same place, 5). */
async function pullForward(vaultId: VaultId, visit: Visit): Promise<void> {
  await visit.custody.subscriptions.pullRetriesForward(vaultId, optionsOf(visit));
}
