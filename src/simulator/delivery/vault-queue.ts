import type { Handle } from '../clock.ts';

/** A first-in, first-out queue with constant-time operations. */
class Fifo<Item> {
  #items: Item[] = [];
  #head = 0;

  get size(): number {
    return this.#items.length - this.#head;
  }

  push(item: Item): void {
    this.#items.push(item);
  }

  peek(): Item | undefined {
    return this.#items[this.#head];
  }

  shift(): Item | undefined {
    const item = this.#items[this.#head];
    if (item === undefined) return undefined;
    this.#head += 1;
    // Now and then the remaining items move to the front. So shifting stays constant, and memory is
    // freed.
    if (this.#head > 1024 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }

  /** Keeps the items that pass and returns the others. */
  retain(passes: (item: Item) => boolean): Item[] {
    const queued = this.#items.slice(this.#head);
    this.#items = queued.filter(passes);
    this.#head = 0;
    return queued.filter((item) => !passes(item));
  }
}

/** The stored retry state of a vault's queue. */
export interface RetryRow {
  readonly vaultId: string;
  readonly consecutiveFailures: number;
  /** Time of the next attempt, Unix epoch milliseconds; null when the vault may send now. */
  readonly nextTryAt: number | null;
  /** The notification that a `delay` fault has delayed. Each notification is delayed once. */
  readonly delayedId: string | null;
}

/**
 * The queue of one vault's notification ids. It is in one of four states: empty, waiting for a
 * slot, in flight (one attempt is running), or waiting for the timer at `nextTryAt`. The first id
 * stays first until its notification is delivered or dropped, so no later one overtakes it.
 */
export interface VaultQueue {
  readonly vaultId: string;
  readonly ids: Fifo<string>;
  waitsForSlot: boolean;
  inFlight: boolean;
  timer: Handle | undefined;
  /**
   * How often the queue was cleared because the subscription was deleted. An attempt that began
   * before must not change the backoff.
   */
  clearCount: number;
  /**
   * Consecutive attempts that timed out. With each one a virtual clock waits a shorter time for the
   * next.
   */
  timeouts: number;
}

/** The empty queue of a vault without failed attempts (spec, "Delivery rules"). */
export function newVaultQueue(vaultId: string): VaultQueue {
  return {
    vaultId,
    ids: new Fifo(),
    waitsForSlot: false,
    inFlight: false,
    timer: undefined,
    clearCount: 0,
    timeouts: 0,
  };
}
