import { nextIntervalMs } from '../turns.ts';

/** A list of the service's own configuration: it changes with a release or by a person. */
const FRESH_MS = 3_600_000;

/** An API that was down for hours is asked again soon after it is back. */
const RETRY_MS_MAX = 600_000;

/**
 * When a list that seldom changes is asked for: once an hour, and after a failure a minute later,
 * then two, four, up to ten. However often it is wanted, a list that fails costs a few requests.
 */
export class Freshness {
  #askedAt = Number.NEGATIVE_INFINITY;
  #waitMs = 0;
  #retryMs: number | undefined;

  /** Also a clock that was set back makes a list old. */
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
    this.#retryMs = Math.min(RETRY_MS_MAX, nextIntervalMs(this.#retryMs));
    this.#waitMs = this.#retryMs;
  }
}
