import { setTimeout as pause } from 'node:timers/promises';

/** The client's clock, injected so that tests never wait. */
export interface Clock {
  /** Unix milliseconds. */
  now(): number;
  /** Resolves after `ms` milliseconds, or at once when `signal` aborts; it never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (ms, signal) => {
    // An abort ends the wait early; it is no failure.
    await pause(ms, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
  },
};
