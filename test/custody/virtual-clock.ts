import type { Clock } from '../../src/custody/clock.ts';

interface Sleeper {
  readonly atMs: number;
  readonly wake: () => void;
}

/**
 * A clock that moves only when told to, or by whole sleeps: a sleep that `holds` says nothing about
 * ends at once, with the time moved on by it.
 */
export class VirtualClock implements Clock {
  /** Durations of the sleeps that ended at once. */
  readonly jumps: number[] = [];
  readonly #holds: (ms: number) => boolean;
  #now: number;
  #sleepers: Sleeper[] = [];

  constructor(options: { now?: number; holds?: (ms: number) => boolean } = {}) {
    this.#now = options.now ?? 1_700_000_000_000;
    this.#holds = options.holds ?? (() => true);
  }

  now(): number {
    return this.#now;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true) return Promise.resolve();
    if (!this.#holds(ms)) {
      this.jumps.push(ms);
      this.#now += ms;
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      this.#sleepers.push({ atMs: this.#now + ms, wake: resolve });
      signal?.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  advance(ms: number): void {
    this.#now += ms;
    const due = this.#sleepers.filter((sleeper) => sleeper.atMs <= this.#now);
    this.#sleepers = this.#sleepers.filter((sleeper) => sleeper.atMs > this.#now);
    for (const sleeper of due) sleeper.wake();
  }
}
