import type { CustodyClient } from '../../custody/client.ts';
import type { CustodyRecord, CustodyTransaction, RunRepairs } from '../../domain/custody.ts';
import type { TransactionId } from '../../domain/ids.ts';
import type { Reads } from '../../store/reads.ts';
import type { Snapshot } from '../comparison.ts';
import type { Tally } from '../tally.ts';
import type { PublishedNetworks } from '../watching/published-networks.ts';
import type { VaultList } from '../watching/vault-list.ts';
import { Watching } from '../watching/watching.ts';
import { openFirst, Overdue } from './overdue.ts';
import { Repair } from './repair.ts';
import { RetryPulls } from './retry-pull.ts';

/** The time and budget of a run, and where it counts what it leaves. */
interface Visit {
  readonly custody: CustodyClient;
  readonly deadlineMs: number;
  readonly tally: Tally;
}

/** What was mended in a run: evidence, what it cost, and what it did. */
interface Mended {
  readonly records: readonly CustodyRecord[];
  readonly requests: number;
  readonly repairs: RunRepairs;
}

/**
 * Brings in what was not told, and watches over what keeps it from being told: deliveries that wait,
 * subscriptions that are not as we want them. What has an open break comes first, in every run.
 */
export class Mending {
  readonly #now: () => number;
  readonly #overdue: Overdue;
  readonly #repair: Repair;
  readonly #watching: Watching;
  /** Transactions with an open `missing_notification`, as of this run's look-ups. */
  #open: ReadonlySet<TransactionId> = new Set();

  constructor(options: {
    reads: Reads;
    networks: PublishedNetworks | undefined;
    /** Our own URL, with its path token. */
    webhookUrl: string;
    vaults: VaultList;
    now: () => number;
  }) {
    const { reads, networks, webhookUrl, vaults, now } = options;
    const pulls = new RetryPulls();
    this.#now = now;
    this.#overdue = new Overdue(reads);
    this.#watching = new Watching({ reads, networks, webhookUrl, vaults, pulls });
    this.#repair = new Repair({
      webhookUrl,
      pulls,
      isKnown: async (id) =>
        (await reads.notifications({ id }, { page: 0, pageSize: 1 })).items.length > 0,
    });
  }

  /** Overdue transactions that the list does not show. */
  async lookUp(
    listed: ReadonlyMap<TransactionId, CustodyTransaction>,
    visit: Visit,
  ): Promise<{ transactions: readonly CustodyTransaction[]; requests: number }> {
    const found = await this.#overdue.lookUp({ ...visit, listed, now: this.#now() });
    this.#open = found.open;
    return found;
  }

  /** `missed`: transactions whose notification is overdue. */
  async run(
    missed: readonly CustodyTransaction[],
    context: Visit & { readonly snapshot: Snapshot },
  ): Promise<Mended> {
    const visit = { ...context, now: this.#now() };
    const repaired = await this.#repair.run(openFirst(missed, this.#open), visit);
    const watched = await this.#watching.run({ ...visit, missed, seen: repaired.seen });
    return {
      records: [...repaired.records, ...watched.records],
      requests: repaired.requests + watched.requests,
      repairs: {
        replayed: repaired.replayed,
        pulledForward: repaired.pulledForward + watched.pulledForward,
        backfilled: repaired.records.length,
      },
    };
  }
}
