import type { Priority } from '../../custody/budget/lane.ts';
import type { CustodyClient } from '../../custody/client.ts';
import type { Network } from '../../wire/network.ts';
import { Freshness } from './freshness.ts';

/** What is known of the networks, and what asking cost. */
interface Asked {
  readonly networks: readonly Network[] | null;
  readonly requests: number;
}

/**
 * The API's list of networks with their published depths, asked for once an hour at most, and while it
 * fails at growing intervals: each look at the policy wants it.
 */
export class PublishedNetworks {
  readonly #custody: CustodyClient;
  readonly #now: () => number;
  readonly #freshness = new Freshness();
  #known: readonly Network[] | null = null;
  #asking: Promise<Asked> | undefined;

  constructor(options: { custody: CustodyClient; now: () => number }) {
    this.#custody = options.custody;
    this.#now = options.now;
  }

  /** The list, however old, or null where the API has never answered. */
  async read(options: { priority: Priority; deadlineMs: number }): Promise<Asked> {
    if (this.#asking !== undefined) return { ...(await this.#asking), requests: 0 };
    const isDue = this.#freshness.isDue(this.#now());
    if (!isDue || this.#custody.room(options.priority) === 0) {
      return { networks: this.#known, requests: 0 };
    }
    this.#asking = this.#ask(options);
    try {
      return await this.#asking;
    } finally {
      this.#asking = undefined;
    }
  }

  async #ask(options: { priority: Priority; deadlineMs: number }): Promise<Asked> {
    const answer = await this.#custody.networks(options);
    if (answer.kind === 'ok') {
      this.#known = answer.value;
      this.#freshness.succeeded(this.#now());
    } else this.#freshness.failed(this.#now());
    return { networks: this.#known, requests: 1 };
  }
}
