import type { Reads } from '../../store/reads.ts';
import type { Snapshot } from '../comparing/snapshot.ts';
import type { RetryPulls } from './retry-pull.ts';
import { BacklogWatch, type Watched, type BacklogContext } from './backlog-watch.ts';
import type { PublishedNetworks } from './published-networks.ts';
import { SubscriptionWatch } from './subscription-watch.ts';
import type { VaultList } from './vault-list.ts';

/** Most open breaks of a type read per run, ordered by vault id. */
const OPEN_MAX = 1_000;

interface WatchContext extends BacklogContext {
  /** Our current state: the policy, and open or exempt breaks about published depths. */
  readonly snapshot: Snapshot;
}

/** Watches subscriptions and delivery backlogs in each run. */
export class Watching {
  readonly #reads: Pick<Reads, 'openBreaksOf'>;
  readonly #networks: PublishedNetworks | undefined;
  readonly #subscriptions: SubscriptionWatch;
  readonly #backlogs: BacklogWatch;

  constructor(options: {
    reads: Pick<Reads, 'openBreaksOf'>;
    networks: PublishedNetworks | undefined;
    webhookUrl: string;
    vaults: VaultList;
    pulls: RetryPulls;
  }) {
    const { reads, networks, webhookUrl, vaults, pulls } = options;
    this.#reads = reads;
    this.#networks = networks;
    this.#subscriptions = new SubscriptionWatch({ webhookUrl, vaults });
    this.#backlogs = new BacklogWatch({ pulls });
  }

  async run({ snapshot, ...context }: WatchContext): Promise<Watched> {
    const drifting = await this.#reads.openBreaksOf('subscription_drift', OPEN_MAX);
    const networks = this.#networks;
    const watched = await this.#subscriptions.run({ ...snapshot, ...context, networks, drifting });
    const open = await this.#reads.openBreaksOf('delivery_backlog', OPEN_MAX);
    const backlogs = await this.#backlogs.run({ ...context, open });
    return {
      records: [...watched.records, ...backlogs.records],
      requests: watched.requests + backlogs.requests,
      pulledForward: backlogs.pulledForward,
    };
  }
}
