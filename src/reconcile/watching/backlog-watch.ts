import type { CustodyClient } from '../../custody/client.ts';
import type { Break } from '../../domain/break.ts';
import type { CustodyRecord, CustodyTransaction } from '../../domain/custody.ts';
import { groupedBy } from '../../domain/grouped.ts';
import type { TransactionId, VaultId } from '../../domain/ids.ts';
import { hasFailed } from '../out-of-reach.ts';
import type { RetryPulls } from '../repair/retry-pull.ts';
import type { Tally } from '../tally.ts';
import { Turns } from '../turns.ts';
import { lookAtTroubled, type Look } from './troubled.ts';

/** Vaults without an open backlog that are asked about per run, beyond what repairs have seen. */
const NEW_VAULTS_MAX = 3;

/** What the custody service's list of a transaction's notifications showed. */
export interface SeenDeliveries {
  /** Its notification is overdue: what waits of it has waited for longer than the grace period. */
  readonly transaction: CustodyTransaction;
  readonly pending: boolean;
}

/** What a run has for its watches, and what it knows of overdue notifications. */
export interface WatchVisit {
  readonly custody: CustodyClient;
  /** What repairs have seen of overdue transactions. */
  readonly seen: readonly SeenDeliveries[];
  /** Transactions whose notification is overdue. */
  readonly missed: readonly CustodyTransaction[];
  readonly now: number;
  readonly deadlineMs: number;
  readonly tally: Tally;
}

interface Visit extends WatchVisit {
  /** Open `delivery_backlog` breaks. */
  readonly open: readonly Break[];
}

export interface Watched {
  readonly records: readonly CustodyRecord[];
  readonly requests: number;
  readonly pulledForward: number;
}

/** A transaction by which a vault is asked about: what waits of it waits for the whole vault. */
interface Question {
  readonly vaultId: VaultId;
  readonly transactionId: TransactionId;
}

/**
 * Tells whether notifications of a vault wait at the custody service because it cannot deliver to us.
 * A vault's notifications are delivered in order (spec, "Delivery rules", 2): when those of its newest
 * overdue transaction have been delivered, nothing before them waits. Vaults with an open backlog are
 * asked about first; neither they nor others can use up a run, or keep others from their turn.
 */
export class BacklogWatch {
  readonly #pulls: RetryPulls;
  readonly #known = new Turns<Question>(({ vaultId }) => vaultId);
  readonly #others = new Turns<CustodyTransaction>(({ vaultId }) => vaultId);

  constructor(options: { pulls: RetryPulls }) {
    this.#pulls = options.pulls;
  }

  async run(visit: Visit): Promise<Watched> {
    const records: CustodyRecord[] = [];
    const waiting = waitingByVault(visit.seen);
    const known = visit.open.flatMap(({ subject: { vaultId, transactionId } }) =>
      vaultId === null || transactionId === null ? [] : [{ vaultId, transactionId }],
    );
    let [requests, pulledForward] = [0, 0];
    const isReachable = await lookAtTroubled(known, {
      ...visit,
      turns: this.#known,
      room: () => visit.custody.room('repair'),
      look: async ({ vaultId, transactionId }) => {
        requests += 1;
        const probed = await probe(transactionId, visit);
        if (probed === 'pending') {
          waiting.delete(vaultId);
          const pulled = await this.#pulls.pull(vaultId, visit);
          requests += pulled.requests;
          pulledForward += pulled.pulledForward;
        }
        // Something newer may wait meanwhile: then the break goes on with that.
        if (probed === 'clear' && !waiting.has(vaultId)) {
          records.push({ kind: 'backlog', vaultId, backlog: null });
          this.#pulls.done(vaultId);
        }
        return lookOf(probed);
      },
    });
    if (isReachable) requests += await this.#askOthers(visit, { known, waiting });
    for (const [vaultId, overdue] of waiting) records.push(backlogRecord(vaultId, overdue));
    return { records, requests, pulledForward };
  }

  /** Vaults of overdue transactions that nothing has been seen of; adds to `waiting`. */
  async #askOthers(
    visit: Visit,
    found: { known: readonly Question[]; waiting: Map<VaultId, CustodyTransaction[]> },
  ): Promise<number> {
    const passed = new Set([
      ...found.known.map(({ vaultId }) => vaultId),
      ...visit.seen.map(({ transaction }) => transaction.vaultId),
    ]);
    const newest = [...newestOf(visit.missed).values()].filter((one) => !passed.has(one.vaultId));
    const due = this.#others.due(newest, visit.now);
    let requests = 0;
    for (const overdue of due.slice(0, NEW_VAULTS_MAX)) {
      if (visit.custody.room('repair') === 0) break;
      requests += 1;
      const probed = await probe(overdue.transactionId, visit);
      if (probed !== 'out of reach') this.#others.take(overdue, visit.now);
      if (probed === 'pending') found.waiting.set(overdue.vaultId, [overdue]);
      if (probed === 'out of reach' || probed === 'failed') break;
    }
    visit.tally.skip('rate_budget', due.length - requests);
    return requests;
  }
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

type Probed = 'pending' | 'clear' | 'unreadable' | 'failed' | 'out of reach';

function lookOf(probed: Probed): Look {
  if (probed === 'pending' || probed === 'unreadable') return 'in trouble';
  return probed === 'clear' ? 'mended' : probed;
}

async function probe(
  transactionId: TransactionId,
  { custody, deadlineMs }: Visit,
): Promise<Probed> {
  const options = { priority: 'repair', deadlineMs } as const;
  const listed = await custody.subscriptions.notifications(transactionId, options);
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
      return hasFailed(listed) ? 'failed' : 'out of reach';
    default:
      return listed satisfies never;
  }
}
