import type { Priority } from '../custody/budget/lane.ts';
import type { CustodyClient } from '../custody/client.ts';
import type { Network } from '../wire/network.ts';

/** Networks are published anew with a release of the custody service, not by the hour. */
const FRESH_MS = 3_600_000;

/** The API's list of networks with their published depths, asked for once an hour at most. */
export class PublishedNetworks {
  readonly #custody: CustodyClient;
  readonly #now: () => number;
  #known: readonly Network[] | null = null;
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(options: { custody: CustodyClient; now: () => number }) {
    this.#custody = options.custody;
    this.#now = options.now;
  }

  /** The list, however old, or null where the API has never answered; and what asking cost. */
  async read(options: {
    priority: Priority;
    deadlineMs: number;
  }): Promise<{ networks: readonly Network[] | null; requests: number }> {
    const now = this.#now();
    // Also a clock that was set back makes them old.
    if (this.#known !== null && Math.abs(now - this.#askedAt) < FRESH_MS) {
      return { networks: this.#known, requests: 0 };
    }
    const answer = await this.#custody.networks(options);
    if (answer.kind === 'ok') {
      this.#known = answer.value;
      this.#askedAt = now;
    }
    return { networks: this.#known, requests: 1 };
  }
}
