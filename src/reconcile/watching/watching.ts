import type { Reads } from '../../store/reads.ts';
import type { Snapshot } from '../comparison.ts';
import type { RetryPulls } from '../repair/retry-pull.ts';
import { BacklogWatch, type Watched, type WatchVisit } from './backlog-watch.ts';
import type { PublishedNetworks } from './published-networks.ts';
import { SubscriptionWatch } from './subscription-watch.ts';
import type { VaultList } from './vault-list.ts';

/** Open breaks of a type that a run chooses from, the vaults in the order of their ids. */
const OPEN_MAX = 1_000;

interface Visit extends WatchVisit {
  /** Our side as of now: the policy, and what is open or exempt about the networks' depths. */
  readonly snapshot: Snapshot;
}

/** What a run looks at beside the list: subscriptions, and deliveries that wait for us. */
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

  async run({ snapshot, ...visit }: Visit): Promise<Watched> {
    const drifting = await this.#reads.openBreaksOf('subscription_drift', OPEN_MAX);
    const networks = this.#networks;
    const watched = await this.#subscriptions.run({ ...snapshot, ...visit, networks, drifting });
    const open = await this.#reads.openBreaksOf('delivery_backlog', OPEN_MAX);
    const backlogs = await this.#backlogs.run({ ...visit, open });
    return {
      records: [...watched.records, ...backlogs.records],
      requests: watched.requests + backlogs.requests,
      pulledForward: backlogs.pulledForward,
    };
  }
}
