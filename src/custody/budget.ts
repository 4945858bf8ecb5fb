import { SlidingWindow } from './sliding-window.ts';

/** What a request is for, the most urgent first. */
export const PRIORITIES = ['deposits', 'repair', 'sweep', 'inactive'] as const;
export type Priority = (typeof PRIORITIES)[number];

/** Requests per window (spec, "Limits"): so many in any minute, and in any hour. */
export const REQUESTS_MAX = { minute: 100, hour: 1_000 } as const;

const WINDOWS = [
  { limit: REQUESTS_MAX.minute, spanMs: 60_000 },
  { limit: REQUESTS_MAX.hour, spanMs: 3_600_000 },
] as const;

/**
 * Share of a window, in percent, that may be used when a request of this priority starts: what is
 * left above it is the reserve of the more urgent ones. A waiting deposit may take the last one.
 */
const SHARE_PERCENT = {
  deposits: 100,
  repair: 90,
  sweep: 80,
  inactive: 50,
} as const satisfies Record<Priority, number>;

function shareOf(limit: number, priority: Priority): number {
  return Math.floor((limit * SHARE_PERCENT[priority]) / 100);
}

/** The longest silence a header can impose: the longest window of the spec. */
export const SILENCE_MS_MAX = 3_600_000;

export type Reservation =
  /** Call exactly one of the two: `settle` after the answer or failure, `cancel` if nothing was sent. */
  | { readonly kind: 'now'; settle(): void; cancel(): void }
  /** Ask again at `atMs`, which is not after the deadline. */
  | { readonly kind: 'wait-until'; readonly atMs: number }
  /** No room before the deadline; the first moment it could be is `retryAtMs`. */
  | { readonly kind: 'refused'; readonly retryAtMs: number };

/**
 * Keeps the client below both limits, as the service counts them. A request counts from its
 * reservation until a full window after its answer, since the service counted it somewhere between
 * the two: spaced so, no window at the service can see more than the limit, whatever the network
 * delays. All times are Unix milliseconds of the injected clock.
 */
export class RequestBudget {
  readonly #now: () => number;
  readonly #windows: readonly SlidingWindow[];
  #silentUntilMs = 0;

  constructor(options: { now: () => number }) {
    this.#now = options.now;
    this.#windows = WINDOWS.map((window) => new SlidingWindow(window));
  }

  reserve(request: { priority: Priority; deadlineMs: number }): Reservation {
    const nowMs = this.#now();
    const atMs = this.#firstRoom(request.priority, nowMs);
    if (atMs <= nowMs) return this.#take();
    if (atMs <= request.deadlineMs) return { kind: 'wait-until', atMs };
    return { kind: 'refused', retryAtMs: atMs };
  }

  /** Requests of a priority that may start now without waiting, one after the other. */
  room(priority: Priority): number {
    const nowMs = this.#now();
    if (this.#firstRoom(priority, nowMs) > nowMs) return 0;
    const rooms = this.#windows.map(
      (window) => shareOf(window.limit, priority) - window.used(nowMs),
    );
    return Math.max(0, Math.min(...rooms));
  }

  /** No request before `untilMs`: the service said that its window is used up. Never shortens. */
  silence(untilMs: number): void {
    const bounded = Math.min(untilMs, this.#now() + SILENCE_MS_MAX);
    this.#silentUntilMs = Math.max(this.#silentUntilMs, bounded);
  }

  /** Requests that count against each window now, for metrics and `/readyz`. */
  used(): { minute: number; hour: number } {
    const nowMs = this.#now();
    const [minute, hour] = this.#windows.map((window) => window.used(nowMs));
    return { minute: minute ?? 0, hour: hour ?? 0 };
  }

  #firstRoom(priority: Priority, nowMs: number): number {
    // A clock that was set back must not lengthen a silence beyond its bound.
    this.#silentUntilMs = Math.min(this.#silentUntilMs, nowMs + SILENCE_MS_MAX);
    const rooms = this.#windows.map((window) =>
      window.roomAt(nowMs, shareOf(window.limit, priority)),
    );
    return Math.max(this.#silentUntilMs, ...rooms);
  }

  #take(): Reservation {
    for (const window of this.#windows) window.start();
    let open = true;
    const end = (finish: (window: SlidingWindow) => void): void => {
      if (!open) return;
      open = false;
      for (const window of this.#windows) finish(window);
    };
    return {
      kind: 'now',
      settle: () => {
        const nowMs = this.#now();
        end((window) => window.settle(nowMs));
      },
      cancel: () => end((window) => window.cancel()),
    };
  }
}
