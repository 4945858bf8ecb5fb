import type { Priority } from '../../custody/budget/lane.ts';
import type { CustodyClient } from '../../custody/client.ts';
import type { Network } from '../../wire/network.ts';
import { Freshness } from './freshness.ts';

/** The known networks, and the requests used. */
interface Asked {
  readonly networks: readonly Network[] | null;
  readonly requests: number;
}

/**
 * The API's networks with their published depths (spec, "Other endpoints referenced"). Reads the
 * list at most once an hour, and at growing intervals while it fails.
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

  /** The last list of any age; null when the API never answered. */
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
