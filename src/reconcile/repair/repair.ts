import type { CustodyClient } from '../../custody/client.ts';
import type { CustodyRecord, CustodyTransaction } from '../../domain/custody.ts';
import type { TransactionId } from '../../domain/ids.ts';
import type { NotificationRecord } from '../../wire/subscription.ts';
import { isOutOfReach } from '../out-of-reach.ts';
import { remember } from '../remember.ts';
import type { Tally } from '../tally.ts';
import type { SeenDeliveries } from '../watching/backlog-watch.ts';
import type { RetryPulls } from './retry-pull.ts';

/** Transactions replayed per run: beyond the first few a backfill, which costs none, comes at once. */
const TRANSACTIONS_MAX = 10;

/** Requests per run: a list for each transaction, pulls and replays. The rest waits for the next run. */
const REQUESTS_MAX = 40;

/** Notifications replayed of one transaction, the newest: they hold its depth and its end. */
const REPLAYS_MAX = 10;

/** Notifications of one transaction that are looked up in our own journal, the newest. */
const LOOKED_UP_MAX = 100;

/** Transactions remembered as replayed; beyond it the oldest are replayed again first. */
const REMEMBERED_MAX = 10_000;

/** What a run's repairs brought. */
export interface Repaired {
  /** Backfills for what a replay did not bring. */
  readonly records: readonly CustodyRecord[];
  /** What the custody service's lists showed on the way. */
  readonly seen: readonly SeenDeliveries[];
  /** Notifications that were sent again and that our intake took. */
  readonly replayed: number;
  /** Vaults whose next delivery was pulled forward. */
  readonly pulledForward: number;
  readonly requests: number;
}

interface Visit {
  readonly custody: CustodyClient;
  readonly now: number;
  readonly deadlineMs: number;
  readonly tally: Tally;
}

/** What one transaction's repair cost and brought; `isReachable`: others may be tried. */
interface Tried {
  readonly isReachable: boolean;
  readonly pending: boolean | null;
  readonly replayed: number;
  readonly pulledForward: number;
  readonly requests: number;
}

/**
 * Brings in what the API knows and no notification told, in this order: pull a waiting backlog
 * forward, replay what was delivered and never reached us, and, in the run after a replay that
 * brought nothing, backfill from the API. After a long outage most are backfilled at once.
 */
export class Repair {
  readonly #webhookUrl: string;
  readonly #pulls: RetryPulls;
  readonly #isKnown: (notificationId: string) => Promise<boolean>;
  /** Transactions that were replayed, with their status then: a new status is a new loss. */
  readonly #replayed = new Map<TransactionId, string>();

  constructor(options: {
    /** Our own URL, with its path token: replays go there. */
    webhookUrl: string;
    pulls: RetryPulls;
    /** Whether a notification has reached us: it is not replayed. */
    isKnown: (notificationId: string) => Promise<boolean>;
  }) {
    this.#webhookUrl = options.webhookUrl;
    this.#pulls = options.pulls;
    this.#isKnown = options.isKnown;
  }

  /** `missed`: transactions whose notification is overdue, the most urgent first. */
  async run(missed: readonly CustodyTransaction[], visit: Visit): Promise<Repaired> {
    const records: CustodyRecord[] = [];
    const seen: SeenDeliveries[] = [];
    let [replayed, pulledForward, requests, postponed] = [0, 0, 0, 0];
    let isReachable = true;
    for (const [index, transaction] of missed.entries()) {
      const wasReplayed = this.#replayed.get(transaction.transactionId) === transaction.status;
      if (wasReplayed || index >= TRANSACTIONS_MAX) {
        records.push({ kind: 'backfill', transaction });
        continue;
      }
      if (!isReachable || requests >= REQUESTS_MAX || visit.custody.room('repair') === 0) {
        postponed += 1;
        continue;
      }
      const tried = await this.#try(transaction, visit, REQUESTS_MAX - requests);
      replayed += tried.replayed;
      pulledForward += tried.pulledForward;
      requests += tried.requests;
      isReachable = tried.isReachable;
      if (tried.pending !== null) seen.push({ transaction, pending: tried.pending });
      if (isReachable) this.#remember(transaction);
      else postponed += 1;
    }
    visit.tally.skip(isReachable ? 'rate_budget' : 'api_unavailable', postponed);
    return { records, seen, replayed, pulledForward, requests };
  }

  async #try(transaction: CustodyTransaction, visit: Visit, requestsMax: number): Promise<Tried> {
    const { custody, deadlineMs } = visit;
    const options = { priority: 'repair', deadlineMs } as const;
    const nothing = { pending: null, replayed: 0, pulledForward: 0, requests: 1 };
    const listed = await custody.subscriptions.notifications(transaction.transactionId, options);
    if (listed.kind !== 'ok') return { ...nothing, isReachable: !isOutOfReach(listed.kind) };
    const pending = listed.value.some((row) => row.status === 'pending');
    const pulled = pending
      ? await this.#pulls.pull(transaction.vaultId, visit)
      : { requests: 0, pulledForward: 0 };
    const most = Math.min(REPLAYS_MAX, Math.max(1, requestsMax - 1 - pulled.requests));
    const sent = await this.#replay(await this.#unknownOf(listed.value, most), visit);
    return { ...sent, pending, ...pulled, requests: 1 + pulled.requests + sent.requests };
  }

  /** Those that were delivered and have not reached us: the newest, in the order of their events. */
  async #unknownOf(
    rows: readonly NotificationRecord[],
    most: number,
  ): Promise<readonly NotificationRecord[]> {
    const delivered = rows
      .filter(({ status }) => status === 'delivered')
      .sort((left, right) => right.timestamp - left.timestamp);
    const unknown: NotificationRecord[] = [];
    for (const row of delivered.slice(0, LOOKED_UP_MAX)) {
      if (unknown.length === most) break;
      if (!(await this.#isKnown(row.id))) unknown.unshift(row);
    }
    return unknown;
  }

  /** Ends at the first that does not reach us: the others go the same way. */
  async #replay(
    rows: readonly NotificationRecord[],
    { custody, deadlineMs }: Visit,
  ): Promise<{ isReachable: boolean; replayed: number; requests: number }> {
    const options = { priority: 'repair', deadlineMs } as const;
    const request = { url: this.#webhookUrl };
    let [replayed, requests] = [0, 0];
    for (const { id } of rows) {
      requests += 1;
      const sent = await custody.subscriptions.replay({ ...request, notificationId: id }, options);
      if (isOutOfReach(sent.kind)) return { isReachable: false, replayed, requests };
      if (sent.kind !== 'ok') continue;
      if (!sent.value.delivered) break;
      replayed += 1;
    }
    return { isReachable: true, replayed, requests };
  }

  #remember({ transactionId, status }: CustodyTransaction): void {
    remember(this.#replayed, [transactionId, status], REMEMBERED_MAX);
  }
}
