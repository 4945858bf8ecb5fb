import type { CustodyClient } from '../../custody/client.ts';
import type { Break } from '../../domain/break/break.ts';
import type { CustodyRecord, CustodyTransaction } from '../../domain/fact/custody-record.ts';
import { groupedBy } from '../../domain/grouped.ts';
import type { TransactionId, VaultId } from '../../domain/ids.ts';
import type { RetryPulls } from './retry-pull.ts';
import type { Tally } from '../comparing/tally.ts';
import { LookupBackoff } from '../pacing/lookup-backoff.ts';
import { checkOpenBreaks, notFixed, type Look } from './open-break-checks.ts';

/** Most vaults without an open backlog probed per run, beyond those that repairs saw. */
const NEW_VAULTS_MAX = 3;

/** What the service's notification list of a transaction showed. */
export interface SeenDeliveries {
  /** The transaction: its notification has been overdue for longer than the grace period. */
  readonly transaction: CustodyTransaction;
  readonly pending: boolean;
}

/** The client, deadline and tally of a run, with its overdue notifications. */
interface BacklogContext {
  readonly custody: CustodyClient;
  /** Notification lists that repairs read. */
  readonly seen: readonly SeenDeliveries[];
  /** Transactions with an overdue notification. */
  readonly missed: readonly CustodyTransaction[];
  readonly now: number;
  readonly deadlineMs: number;
  readonly tally: Tally;
  /** Open `delivery_backlog` breaks. */
  readonly open: readonly Break[];
}

/** The transaction used to probe a vault: its pending notifications represent the vault's backlog. */
interface Question {
  readonly vaultId: VaultId;
  readonly transactionId: TransactionId;
}

/**
 * Detects notifications that wait at the custody service because it cannot deliver to us. A vault's
 * notifications are delivered in order (spec, "Delivery rules", 2): when the newest overdue
 * transaction's notifications were delivered, nothing older waits. Probes vaults with an open
 * backlog first, within limits, so that no vault starves another.
 */
export class BacklogWatch {
  readonly #pulls: RetryPulls;
  readonly #known = new LookupBackoff<Question>(({ vaultId }) => vaultId);
  readonly #others = new LookupBackoff<CustodyTransaction>(({ vaultId }) => vaultId);

  constructor(options: { pulls: RetryPulls }) {
    this.#pulls = options.pulls;
  }

  async run(
    context: BacklogContext,
  ): Promise<{ records: CustodyRecord[]; requests: number; pulledForward: number }> {
    const records: CustodyRecord[] = [];
    const backlogs = backlogByVault(context.seen);
    const known = context.open.flatMap(({ subject: { vaultId, transactionId } }) =>
      vaultId === null || transactionId === null ? [] : [{ vaultId, transactionId }],
    );
    let [requests, pulledForward] = [0, 0];
    const isReachable = await checkOpenBreaks(known, {
      ...context,
      backoff: this.#known,
      room: () => context.custody.room('repair'),
      look: async ({ vaultId, transactionId }) => {
        requests += 1;
        const probed = await probe(transactionId, context);
        if (probed === 'pending') {
          backlogs.delete(vaultId);
          const pulled = await this.#pulls.pull(vaultId, context);
          requests += pulled.requests;
          pulledForward += pulled.pulledForward;
        }
        // A newer notification may be pending: then the break stays open with that one.
        if (probed === 'fixed' && !backlogs.has(vaultId)) {
          records.push({ kind: 'backlog', vaultId, backlog: null });
          this.#pulls.done(vaultId);
        }
        return probed === 'pending' ? 'unsolved' : probed;
      },
    });
    if (isReachable) requests += await this.#askOthers(context, { known, backlogs });
    for (const [vaultId, overdue] of backlogs) records.push(backlogRecord(vaultId, overdue));
    return { records, requests, pulledForward };
  }

  /** Vaults of overdue transactions whose lists were not read yet; adds to `backlogs`. */
  async #askOthers(
    context: BacklogContext,
    found: { known: readonly Question[]; backlogs: Map<VaultId, CustodyTransaction[]> },
  ): Promise<number> {
    const passed = new Set([
      ...found.known.map(({ vaultId }) => vaultId),
      ...context.seen.map(({ transaction }) => transaction.vaultId),
    ]);
    const newest = [...newestOf(context.missed).values()].filter((one) => !passed.has(one.vaultId));
    const due = this.#others.due(newest, context.now);
    let requests = 0;
    for (const overdue of due.slice(0, NEW_VAULTS_MAX)) {
      if (context.custody.room('repair') === 0) break;
      requests += 1;
      const probed = await probe(overdue.transactionId, context);
      if (probed !== 'out of reach') this.#others.take(overdue, context.now);
      if (probed === 'pending') found.backlogs.set(overdue.vaultId, [overdue]);
      if (probed === 'out of reach' || probed === 'failed') break;
    }
    context.tally.skip('rate_budget', due.length - requests);
    return requests;
  }
}

/** Overdue transactions with a pending notification, by vault. */
function backlogByVault(seen: readonly SeenDeliveries[]): Map<VaultId, CustodyTransaction[]> {
  const backlogs = seen.filter(({ pending }) => pending).map(({ transaction }) => transaction);
  return groupedBy(backlogs, ({ vaultId }) => vaultId);
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

async function probe(
  transactionId: TransactionId,
  { custody, deadlineMs }: BacklogContext,
): Promise<Look | 'pending'> {
  const options = { priority: 'repair', deadlineMs } as const;
  const listed = await custody.subscriptions.notifications(transactionId, options);
  // The service will not deliver notifications of a transaction that it does not know.
  if (listed.kind === 'not-found') return 'fixed';
  if (listed.kind !== 'ok') return notFixed(listed);
  return listed.value.some((row) => row.status === 'pending') ? 'pending' : 'fixed';
}
