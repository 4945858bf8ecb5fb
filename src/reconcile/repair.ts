import type { CustodyClient } from '../custody/client.ts';
import type { CustodyRecord, CustodyTransaction } from '../domain/custody.ts';
import type { TransactionId } from '../domain/ids.ts';
import type { SeenDeliveries } from './backlog-watch.ts';
import { isOutOfReach } from './out-of-reach.ts';
import { remember } from './remember.ts';

/** Transactions replayed per run: each costs a few requests of the budget. */
const REPLAYS_MAX = 10;

/** Transactions remembered as replayed; beyond it the oldest are replayed again first. */
const REMEMBERED_MAX = 10_000;

/** What a run's repairs brought. */
export interface Repaired {
  /** Backfills for what a replay did not bring. */
  readonly records: readonly CustodyRecord[];
  /** What the custody service's lists showed on the way. */
  readonly seen: readonly SeenDeliveries[];
  readonly requests: number;
}

interface Visit {
  readonly custody: CustodyClient;
  readonly options: { readonly priority: 'repair'; readonly deadlineMs: number };
}

/**
 * Brings in what the API knows and no notification told, in this order: pull a waiting backlog
 * forward, replay what was delivered and never reached us, and, in the run after a replay that
 * brought nothing, backfill from the API. After a long outage most are backfilled at once.
 */
export class Repair {
  readonly #webhookUrl: string;
  /** Transactions that were replayed, with their status then: a new status is a new loss. */
  readonly #replayed = new Map<TransactionId, string>();

  constructor(options: {
    /** Our own URL, with its path token: replays go there. */
    webhookUrl: string;
  }) {
    this.#webhookUrl = options.webhookUrl;
  }

  /** `missed`: transactions whose notification is overdue. */
  async run(
    missed: readonly CustodyTransaction[],
    context: { custody: CustodyClient; deadlineMs: number },
  ): Promise<Repaired> {
    const visit: Visit = {
      custody: context.custody,
      options: { priority: 'repair', deadlineMs: context.deadlineMs },
    };
    const records: CustodyRecord[] = [];
    const seen: SeenDeliveries[] = [];
    let requests = 0;
    let reachable = true;
    for (const [index, transaction] of missed.entries()) {
      // A replay costs requests and a backfill none: beyond the first few it comes at once.
      const replayed = this.#replayed.get(transaction.transactionId) === transaction.status;
      if (replayed || index >= REPLAYS_MAX) {
        records.push({ kind: 'backfill', transaction });
        continue;
      }
      if (!reachable) continue;
      const tried = await this.#replay(transaction, visit);
      requests += tried.requests;
      reachable = tried.reachable;
      if (tried.pending !== null) seen.push({ transaction, pending: tried.pending });
      if (reachable) this.#remember(transaction);
    }
    return { records, seen, requests };
  }

  async #replay(
    transaction: CustodyTransaction,
    { custody, options }: Visit,
  ): Promise<{ reachable: boolean; pending: boolean | null; requests: number }> {
    const { subscriptions } = custody;
    const listed = await subscriptions.notifications(transaction.transactionId, options);
    if (listed.kind !== 'ok') {
      return { reachable: !isOutOfReach(listed.kind), pending: null, requests: 1 };
    }
    let requests = 1;
    const pending = listed.value.some((row) => row.status === 'pending');
    if (pending) {
      requests += 1;
      await subscriptions.pullRetriesForward(transaction.vaultId, options);
    }
    for (const { id, status } of listed.value) {
      if (status !== 'delivered') continue;
      requests += 1;
      await subscriptions.replay({ notificationId: id, url: this.#webhookUrl }, options);
    }
    return { reachable: true, pending, requests };
  }

  #remember({ transactionId, status }: CustodyTransaction): void {
    remember(this.#replayed, [transactionId, status], REMEMBERED_MAX);
  }
}
