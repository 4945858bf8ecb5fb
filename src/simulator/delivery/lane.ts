import type { Handle } from '../clock.ts';

/** First in, first out, in constant time. */
export class Fifo<Item> {
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
    // Moving the rest to the front now and then keeps shifting constant and lets memory go.
    if (this.#head > 1024 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }

  /** Keeps only what passes; answers what did not. */
  retain(passes: (item: Item) => boolean): Item[] {
    const waiting = this.#items.slice(this.#head);
    this.#items = waiting.filter(passes);
    this.#head = 0;
    return waiting.filter((item) => !passes(item));
  }
}

/** What a vault's lane remembers beyond its queue. */
export interface LaneRow {
  readonly vaultId: string;
  readonly consecutiveFailures: number;
  /** No attempt before this time; null: eligible. */
  readonly nextTryAt: number | null;
  /** The notification that a `delay` fault has already held up. */
  readonly delayedId: string | null;
}

/**
 * A vault's queue of notification ids. Modes: idle (empty), ready (waiting for a slot), in flight
 * (one attempt under way), waiting (a timer until `nextTryAt`). The head of the queue stays there
 * until it is delivered or dropped: nothing of the vault overtakes it.
 */
export interface Lane {
  readonly vaultId: string;
  readonly queue: Fifo<string>;
  ready: boolean;
  inFlight: boolean;
  timer: Handle | undefined;
  /** Raised when the subscription is deleted: an attempt begun before must not touch the backoff. */
  era: number;
  /** Attempts in a row that no answer ended: a virtual clock waits less and less for the next. */
  hangs: number;
}

export function newLane(vaultId: string): Lane {
  return {
    vaultId,
    queue: new Fifo(),
    ready: false,
    inFlight: false,
    timer: undefined,
    era: 0,
    hangs: 0,
  };
}
