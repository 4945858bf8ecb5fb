/**
 * Counts requests in flight, and settled ones for `spanMs` after they settled, in a ring of
 * `limit` places. The span is closed at both ends: two requests exactly one span apart still count
 * together, so that no rounding at the other end finds one too many.
 */
export class SlidingWindow {
  readonly limit: number;
  readonly #spanMs: number;
  readonly #settledAtMs: Float64Array;
  #oldest = 0;
  #settled = 0;
  #inFlight = 0;

  constructor(options: { limit: number; spanMs: number }) {
    this.limit = options.limit;
    this.#spanMs = options.spanMs;
    this.#settledAtMs = new Float64Array(options.limit);
  }

  /** Requests that count now, at most `limit`. */
  used(nowMs: number): number {
    this.#expire(nowMs);
    return this.#inFlight + this.#settled;
  }

  /**
   * The first moment when fewer than `ceiling` requests count, `nowMs` if that is now. While
   * requests in flight hold the place it is a lower bound: ask again then.
   */
  roomAt(nowMs: number, ceiling: number): number {
    const excess = this.used(nowMs) - ceiling + 1;
    if (excess <= 0) return nowMs;
    if (excess > this.#settled) return nowMs + this.#spanMs + 1;
    return this.#at(excess - 1) + this.#spanMs + 1;
  }

  start(): void {
    if (this.#inFlight + this.#settled >= this.limit) {
      throw new Error('a request was started without room in the window');
    }
    this.#inFlight += 1;
  }

  settle(nowMs: number): void {
    this.cancel();
    // A clock that is set back must not unsort the ring: the newest entry is its lower bound.
    const newest = this.#settled === 0 ? nowMs : this.#at(this.#settled - 1);
    this.#settledAtMs[(this.#oldest + this.#settled) % this.limit] = Math.max(nowMs, newest);
    this.#settled += 1;
  }

  cancel(): void {
    if (this.#inFlight === 0) throw new Error('a request ended that never started');
    this.#inFlight -= 1;
  }

  #expire(nowMs: number): void {
    // A clock that was set back must not make them count for longer than a span from now.
    for (let index = this.#settled - 1; index >= 0 && this.#at(index) > nowMs; index -= 1) {
      this.#settledAtMs[(this.#oldest + index) % this.limit] = nowMs;
    }
    while (this.#settled > 0 && this.#at(0) + this.#spanMs < nowMs) {
      this.#oldest = (this.#oldest + 1) % this.limit;
      this.#settled -= 1;
    }
  }

  #at(index: number): number {
    return this.#settledAtMs[(this.#oldest + index) % this.limit] ?? 0;
  }
}
