/** Consumers that may wait at once; each holds a connection and a timer. */
export const WAITERS_MAX = 1_000;

/** Why a wait ended. */
export type Woken = 'items' | 'timeout' | 'aborted' | 'closed' | 'refused';

interface Waiter {
  readonly afterSeq: number;
  readonly wake: (why: Woken) => void;
}

/**
 * Lets consumers wait for the credit feed without polling it. Whoever commits calls `announce()`;
 * one look at the feed then serves all waiters, and any number of announcements during that look
 * cost one more.
 */
export class FeedSignal {
  readonly #hasItemsAfter: (seq: number) => Promise<boolean>;
  readonly #onBug: (error: unknown) => void;
  readonly #waiters = new Set<Waiter>();
  #looking = false;
  #again = false;
  #closed = false;

  constructor(options: {
    /** Whether the feed holds an item after a place. */
    hasItemsAfter: (seq: number) => Promise<boolean>;
    onBug: (error: unknown) => void;
  }) {
    this.#hasItemsAfter = options.hasItemsAfter;
    this.#onBug = options.onBug;
  }

  get waiting(): number {
    return this.#waiters.size;
  }

  /** Something was committed that may have appended to the feed. */
  announce(): void {
    if (this.#waiters.size > 0) this.#look();
  }

  /** Ends every wait, now and from now on: the server is shutting down. */
  close(): void {
    this.#closed = true;
    for (const waiter of this.#waiters) waiter.wake('closed');
  }

  /**
   * Waits until the feed holds an item after a place, for at most `waitMs`. It looks once by
   * itself: what was appended before the waiter stood in line was announced to the others only.
   */
  waitFor(afterSeq: number, waitMs: number, abort: AbortSignal): Promise<Woken> {
    if (this.#closed) return Promise.resolve('closed');
    if (abort.aborted) return Promise.resolve('aborted');
    if (this.#waiters.size >= WAITERS_MAX) return Promise.resolve('refused');
    return new Promise((resolve) => {
      const onAbort = (): void => waiter.wake('aborted');
      const timer = setTimeout(() => waiter.wake('timeout'), waitMs);
      const waiter: Waiter = {
        afterSeq,
        wake: (why) => {
          clearTimeout(timer);
          abort.removeEventListener('abort', onAbort);
          this.#waiters.delete(waiter);
          resolve(why);
        },
      };
      abort.addEventListener('abort', onAbort);
      this.#waiters.add(waiter);
      this.#look();
    });
  }

  #look(): void {
    if (this.#looking) {
      this.#again = true;
      return;
    }
    this.#looking = true;
    this.#lookOnce()
      // The waiters still time out by themselves, and the next announcement looks again.
      .catch((error: unknown) => this.#onBug(error))
      .finally(() => {
        this.#looking = false;
        if (!this.#again) return;
        this.#again = false;
        this.announce();
      });
  }

  /** From the furthest place on: an item after it is after all the others too. */
  async #lookOnce(): Promise<void> {
    const places = new Set([...this.#waiters].map((waiter) => waiter.afterSeq));
    for (const place of [...places].sort((left, right) => right - left)) {
      if (!(await this.#hasItemsAfter(place))) continue;
      for (const waiter of this.#waiters) {
        if (waiter.afterSeq <= place) waiter.wake('items');
      }
      return;
    }
  }
}
