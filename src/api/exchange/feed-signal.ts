/** Most consumers that wait; each holds a connection and a timer. */
export const WAITERS_MAX = 1_000;

/** Why a wait ended. */
export type Woken = 'items' | 'timeout' | 'aborted' | 'closed' | 'refused';

interface Waiter {
  readonly afterSeq: number;
  readonly wake: (why: Woken) => void;
}

/**
 * Lets consumers wait for the credit feed without polling. Every commit calls `announce()`. One
 * read of the feed then serves all waiters; further announcements during that read cost one more.
 */
export class FeedSignal {
  readonly #hasItemsAfter: (seq: number) => Promise<boolean>;
  readonly #onBug: (error: unknown) => void;
  readonly #waiters = new Set<Waiter>();
  #looking = false;
  #again = false;
  #closed = false;

  constructor(options: {
    /** Whether the feed has an item after a cursor. */
    hasItemsAfter: (seq: number) => Promise<boolean>;
    onBug: (error: unknown) => void;
  }) {
    this.#hasItemsAfter = options.hasItemsAfter;
    this.#onBug = options.onBug;
  }

  get pending(): number {
    return this.#waiters.size;
  }

  /** Announces a commit that may have appended to the feed. */
  announce(): void {
    if (this.#waiters.size > 0) this.#look();
  }

  /** Ends every wait, now and later: the server is shutting down. */
  close(): void {
    this.#closed = true;
    for (const waiter of this.#waiters) waiter.wake('closed');
  }

  /**
   * Waits up to `waitMs` for a feed item after a cursor. Reads once by itself, because items
   * appended before the wait were announced earlier.
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
      // Waiters still time out, and the next announcement reads again.
      .catch((error: unknown) => this.#onBug(error))
      .finally(() => {
        this.#looking = false;
        if (!this.#again) return;
        this.#again = false;
        this.announce();
      });
  }

  /** Starts at the highest cursor: an item after it serves all other waiters too. */
  async #lookOnce(): Promise<void> {
    const cursors = new Set([...this.#waiters].map((waiter) => waiter.afterSeq));
    for (const cursor of [...cursors].sort((left, right) => right - left)) {
      if (!(await this.#hasItemsAfter(cursor))) continue;
      for (const waiter of this.#waiters) {
        if (waiter.afterSeq <= cursor) waiter.wake('items');
      }
      return;
    }
  }
}
