import type { CustodyClient } from '../../custody/client.ts';
import type { CustodyRecord, CustodyTransaction } from '../../domain/fact/custody-record.ts';
import type { TransactionId } from '../../domain/ids.ts';
import type { NotificationRecord } from '../../wire/subscription.ts';
import type { Backfill } from '../comparing/comparison.ts';
import { failedBy, hasFailed, isOutOfReach } from '../pacing/outcome-kind.ts';
import { putBounded } from '../pacing/bounded-map.ts';
import type { Tally } from '../comparing/tally.ts';
import type { SeenDeliveries } from '../watching/backlog-watch.ts';
import type { RetryPulls } from '../watching/retry-pull.ts';

/**
 * Most transactions replayed per run. Further transactions are backfilled, which costs no request.
 */
const TRANSACTIONS_MAX = 10;

/** Most requests per run, for notification lists, pulls and replays. */
const REQUESTS_MAX = 40;

/** Most notifications replayed per transaction: the newest, which show depth and final status. */
const REPLAYS_MAX = 10;

/** Most notifications per transaction looked up in our journal, the newest. */
const LOOKED_UP_MAX = 100;

/** Most transactions kept as replayed; the oldest are evicted and may be replayed again. */
const REPLAYED_MAX = 10_000;

/** The result of a run's repairs. */
export interface RepairOutcome {
  /** Backfills for notifications that a replay did not bring. */
  readonly records: readonly CustodyRecord[];
  /** What the custody service's notification lists showed. */
  readonly seen: readonly SeenDeliveries[];
  /** Number of notifications replayed and accepted by our intake. */
  readonly replayed: number;
  /** Number of vaults whose next delivery was pulled forward. */
  readonly pulledForward: number;
  readonly requests: number;
}

interface RepairContext {
  readonly custody: CustodyClient;
  readonly now: number;
  readonly deadlineMs: number;
  readonly tally: Tally;
}

/** The result of one transaction's repair. `isReachable`: the API answers, others may be tried. */
interface Tried {
  readonly isReachable: boolean;
  readonly pending: boolean | null;
  readonly replayed: number;
  readonly pulledForward: number;
  readonly requests: number;
}

/**
 * Brings in transactions whose notifications are missing (spec, "Subscription (webhook) endpoints",
 * "Delivery rules"). First pulls a backlog forward, then replays delivered notifications
 * that never reached us. When a replay brings nothing, the next run backfills from the API. After a
 * long outage most transactions are backfilled at once.
 */
export class NotificationRepair {
  readonly #webhookUrl: string;
  readonly #pulls: RetryPulls;
  readonly #isKnown: (notificationId: string) => Promise<boolean>;
  /** Replayed transactions with their status at that time: a new status is a new loss. */
  readonly #replayed = new Map<TransactionId, string>();

  constructor(options: {
    /** Our webhook URL with its path token, the target of replays. */
    webhookUrl: string;
    pulls: RetryPulls;
    /** Whether a notification is in our journal already. */
    isKnown: (notificationId: string) => Promise<boolean>;
  }) {
    this.#webhookUrl = options.webhookUrl;
    this.#pulls = options.pulls;
    this.#isKnown = options.isKnown;
  }

  /** `missed`: backfills of overdue transactions, the most urgent first. */
  async run(missed: readonly Backfill[], context: RepairContext): Promise<RepairOutcome> {
    const records: CustodyRecord[] = [];
    const seen: SeenDeliveries[] = [];
    let [replayed, pulledForward, requests, postponed] = [0, 0, 0, 0];
    let isReachable = true;
    for (const [index, backfill] of missed.entries()) {
      const { transaction } = backfill;
      const wasReplayed = this.#replayed.get(transaction.transactionId) === transaction.status;
      if (wasReplayed || index >= TRANSACTIONS_MAX) {
        records.push(backfill);
        continue;
      }
      if (!isReachable || requests >= REQUESTS_MAX || context.custody.room('repair') === 0) {
        postponed += 1;
        continue;
      }
      const tried = await this.#try(transaction, context, REQUESTS_MAX - requests);
      replayed += tried.replayed;
      pulledForward += tried.pulledForward;
      requests += tried.requests;
      isReachable = tried.isReachable;
      if (tried.pending !== null) seen.push({ transaction, pending: tried.pending });
      if (isReachable) this.#keepReplayed(transaction);
      else postponed += 1;
    }
    context.tally.skip(isReachable ? 'rate_budget' : 'api_unavailable', postponed);
    return { records, seen, replayed, pulledForward, requests };
  }

  async #try(
    transaction: CustodyTransaction,
    context: RepairContext,
    requestsMax: number,
  ): Promise<Tried> {
    const { custody, deadlineMs } = context;
    const options = { priority: 'repair', deadlineMs } as const;
    const nothing = { pending: null, replayed: 0, pulledForward: 0, requests: 1 };
    const listed = await custody.subscriptions.notifications(transaction.transactionId, options);
    // A list that fails brings nothing, as a refused one does: the next run backfills.
    if (listed.kind !== 'ok') return { ...nothing, isReachable: failedBy(listed).isAttempt };
    const pending = listed.value.some((row) => row.status === 'pending');
    const pulled = pending
      ? await this.#pulls.pull(transaction.vaultId, context)
      : { requests: 0, pulledForward: 0 };
    const most = Math.min(REPLAYS_MAX, Math.max(1, requestsMax - 1 - pulled.requests));
    const sent = await this.#replay(await this.#unknownOf(listed.value, most), context);
    return { ...sent, pending, ...pulled, requests: 1 + pulled.requests + sent.requests };
  }

  /**
   * The newest delivered notifications that are not in our journal, in the order of their events.
   * Leaves out a rollback that an event in our journal followed: it would take back what that event
   * booked.
   */
  async #unknownOf(
    rows: readonly NotificationRecord[],
    most: number,
  ): Promise<readonly NotificationRecord[]> {
    const delivered = rows
      .filter(({ status }) => status === 'delivered')
      .sort((left, right) => right.timestamp - left.timestamp);
    const unknown: NotificationRecord[] = [];
    const followed = new Set<NotificationRecord['stream']>();
    for (const row of delivered.slice(0, LOOKED_UP_MAX)) {
      if (unknown.length === most) break;
      if (await this.#isKnown(row.id)) followed.add(row.stream);
      else if (row.type !== 'rollback' || !followed.has(row.stream)) unknown.unshift(row);
    }
    return unknown;
  }

  /**
   * Stops at the first replay that does not reach us: the others would fail alike. If the service
   * cannot connect to us, its own attempt outlasts our request.
   */
  async #replay(
    rows: readonly NotificationRecord[],
    { custody, deadlineMs }: RepairContext,
  ): Promise<{ isReachable: boolean; replayed: number; requests: number }> {
    const options = { priority: 'repair', deadlineMs } as const;
    const request = { url: this.#webhookUrl };
    let [replayed, requests] = [0, 0];
    for (const { id } of rows) {
      requests += 1;
      const sent = await custody.subscriptions.replay({ ...request, notificationId: id }, options);
      if (hasFailed(sent)) break;
      if (isOutOfReach(sent.kind)) return { isReachable: false, replayed, requests };
      if (sent.kind !== 'ok') continue;
      if (!sent.value.delivered) break;
      replayed += 1;
    }
    return { isReachable: true, replayed, requests };
  }

  #keepReplayed({ transactionId, status }: CustodyTransaction): void {
    putBounded(this.#replayed, [transactionId, status], REPLAYED_MAX);
  }
}
