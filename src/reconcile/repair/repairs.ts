import type { CustodyClient } from '../../custody/client.ts';
import type {
  CustodyRecord,
  CustodyTransaction,
  RunRepairs,
} from '../../domain/fact/custody-record.ts';
import type { TransactionId } from '../../domain/ids.ts';
import type { Reads } from '../../store/reads.ts';
import { depositRecord, depositsOf, type Backfill } from '../comparing/comparison.ts';
import type { Snapshot } from '../comparing/snapshot.ts';
import type { Tally } from '../comparing/tally.ts';
import type { PublishedNetworks } from '../watching/published-networks.ts';
import type { VaultList } from '../watching/vault-list.ts';
import { BacklogWatch } from '../watching/backlog-watch.ts';
import { SubscriptionWatch } from '../watching/subscription-watch.ts';
import { openFirst, OverdueTransactions } from './overdue-transactions.ts';
import { NotificationRepair } from './notification-repair.ts';
import { RetryPulls } from '../watching/retry-pull.ts';

/** Most open breaks of a type read per run, ordered by vault id. */
const OPEN_MAX = 1_000;

/** The client, deadline and tally of a run. */
interface RepairContext {
  readonly custody: CustodyClient;
  readonly deadlineMs: number;
  readonly tally: Tally;
}

/** The result of a run's repairs: records to journal, requests used, counts. */
interface RepairResult {
  readonly records: readonly CustodyRecord[];
  readonly requests: number;
  readonly repairs: RunRepairs;
}

/**
 * Repairs missing notifications and watches their causes: delivery backlogs and drifted
 * subscriptions. Subjects with an open break come first in every run.
 */
export class Repairs {
  readonly #reads: Reads;
  readonly #networks: PublishedNetworks | undefined;
  readonly #now: () => number;
  readonly #overdue: OverdueTransactions;
  readonly #repair: NotificationRepair;
  readonly #subscriptions: SubscriptionWatch;
  readonly #backlogs: BacklogWatch;
  /** Transactions with an open `missing_notification` break, as read by this run. */
  #open: ReadonlySet<TransactionId> = new Set();

  constructor(options: {
    reads: Reads;
    networks: PublishedNetworks | undefined;
    /** Our webhook URL with its path token. */
    webhookUrl: string;
    vaults: VaultList;
    now: () => number;
  }) {
    const { reads, networks, webhookUrl, vaults, now } = options;
    const pulls = new RetryPulls();
    this.#reads = reads;
    this.#networks = networks;
    this.#now = now;
    this.#overdue = new OverdueTransactions(reads);
    this.#subscriptions = new SubscriptionWatch({ webhookUrl, vaults });
    this.#backlogs = new BacklogWatch({ pulls });
    this.#repair = new NotificationRepair({
      webhookUrl,
      pulls,
      isKnown: async (id) =>
        (await reads.notifications({ id }, { page: 0, pageSize: 1 })).items.length > 0,
    });
  }

  /** Reads overdue transactions that the list does not show. */
  async lookUp(
    listed: ReadonlyMap<TransactionId, CustodyTransaction>,
    context: RepairContext,
  ): Promise<{ transactions: readonly CustodyTransaction[]; requests: number }> {
    const found = await this.#overdue.lookUp({ ...context, listed, now: this.#now() });
    this.#open = found.open;
    return found;
  }

  /** `missed`: backfills of transactions with an overdue notification. */
  async run(
    missed: readonly Backfill[],
    { snapshot, ...context }: RepairContext & { readonly snapshot: Snapshot },
  ): Promise<RepairResult> {
    const dated = { ...context, now: this.#now() };
    const repaired = await this.#repair.run(openFirst(missed, this.#open), dated);
    const drifting = await this.#reads.openBreaksOf('subscription_drift', OPEN_MAX);
    const networks = this.#networks;
    const drifts = await this.#subscriptions.run({ ...snapshot, ...dated, networks, drifting });
    const backlogs = await this.#backlogs.run({
      ...dated,
      open: await this.#reads.openBreaksOf('delivery_backlog', OPEN_MAX),
      missed: missed.map(({ transaction }) => transaction),
      seen: repaired.seen,
    });
    return {
      records: [
        ...repaired.records.flatMap((one) => verifiedAtOnce(one, snapshot)),
        ...drifts.records,
        ...backlogs.records,
      ],
      requests: repaired.requests + drifts.requests + backlogs.requests,
      repairs: {
        replayed: repaired.replayed,
        pulledForward: repaired.pulledForward + backlogs.pulledForward,
        backfilled: repaired.records.length,
      },
    };
  }
}

/**
 * A backfill, and after it the records that verify its deposits. Between the two no webhook counts: a
 * forged rollback would take back what the backfill booked.
 */
function verifiedAtOnce(record: CustodyRecord, snapshot: Snapshot): CustodyRecord[] {
  if (record.kind !== 'backfill' || record.transaction.type === 'outgoing') return [record];
  const { transaction } = record;
  const deposits = depositsOf(transaction, snapshot);
  return [record, ...deposits.map((deposit) => depositRecord(deposit, transaction, snapshot))];
}
