import { nextBackoffMs } from '../pacing/lookup-backoff.ts';

/** Lifetime of a configuration list: the service changes it rarely. */
const FRESH_MS = 3_600_000;

/** Longest wait after failures. */
const RETRY_MS_MAX = 600_000;

/**
 * Decides when to read a rarely changing list: once an hour; after failures after one minute, two,
 * four, up to ten. A failing list costs few requests, however often it is needed.
 */
export class Freshness {
  #askedAt = Number.NEGATIVE_INFINITY;
  #waitMs = 0;
  #retryMs: number | undefined;

  /** Whether the list must be read again. A clock that was set back counts as expired. */
  isDue(now: number): boolean {
    return Math.abs(now - this.#askedAt) >= this.#waitMs;
  }

  succeeded(now: number): void {
    this.#askedAt = now;
    this.#waitMs = FRESH_MS;
    this.#retryMs = undefined;
  }

  failed(now: number): void {
    this.#askedAt = now;
    this.#retryMs = Math.min(RETRY_MS_MAX, nextBackoffMs(this.#retryMs));
    this.#waitMs = this.#retryMs;
  }
}
