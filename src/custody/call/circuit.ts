/** Consecutive failures that open the circuit: one request with all its retries, and two more. */
const FAILURES_TO_OPEN = 5;

/** The first opening is short for a brief failure; each failed probe doubles it. */
const OPEN_MS_FIRST = 2_000;

/** An open circuit probes after at most this many milliseconds. */
const OPEN_MS_MAX = 30_000;

export type CircuitState =
  | { readonly kind: 'closed'; readonly failures: number }
  | { readonly kind: 'open'; readonly retryAtMs: number; readonly failures: number }
  /** One probe is under way. */
  | { readonly kind: 'half-open'; readonly failures: number };

/**
 * Stops requests to a failing service, and saves the request budget.
 *
 * | from      | event                   | to                                        |
 * |-----------|-------------------------|-------------------------------------------|
 * | closed    | 5th consecutive failure | open                                      |
 * | open      | request after `retryAtMs` | half-open                               |
 * | half-open | the probe succeeds      | closed                                    |
 * | half-open | the probe fails         | open, for twice as long, at most 30 s     |
 *
 * Any success closes it. Times are Unix milliseconds of the injected clock.
 */
export class Circuit {
  readonly #now: () => number;
  #failures = 0;
  #openings = 0;
  /** Undefined while closed. Half-open: when the probe times out. */
  #retryAtMs: number | undefined;
  #trying = false;

  constructor(options: { now: () => number }) {
    this.#now = options.now;
  }

  state(): CircuitState {
    const retryAtMs = this.#boundedRetryAt();
    if (retryAtMs === undefined) return { kind: 'closed', failures: this.#failures };
    if (this.#trying) return { kind: 'half-open', failures: this.#failures };
    return { kind: 'open', retryAtMs, failures: this.#failures };
  }

  /** Whether a request may be sent now. A half-open circuit admits one probe. */
  admit(): { kind: 'go' } | { kind: 'open'; retryAtMs: number } {
    const retryAtMs = this.#boundedRetryAt();
    if (retryAtMs === undefined) return { kind: 'go' };
    const nowMs = this.#now();
    if (nowMs < retryAtMs) return { kind: 'open', retryAtMs };
    this.#trying = true;
    // Half-open: the probe timed out.
    this.#retryAtMs = nowMs + OPEN_MS_MAX;
    return { kind: 'go' };
  }

  succeeded(): void {
    this.#failures = 0;
    this.#openings = 0;
    this.#retryAtMs = undefined;
    this.#trying = false;
  }

  failed(): void {
    this.#failures += 1;
    if (this.#failures < FAILURES_TO_OPEN) return;
    // Requests admitted before the opening fail late; they are no probes.
    if (this.#retryAtMs !== undefined && !this.#trying) return;
    this.#trying = false;
    this.#retryAtMs = this.#now() + Math.min(OPEN_MS_MAX, OPEN_MS_FIRST * 2 ** this.#openings);
    this.#openings += 1;
  }

  /** A clock set back must not keep the circuit open past the bound. */
  #boundedRetryAt(): number | undefined {
    if (this.#retryAtMs !== undefined) {
      this.#retryAtMs = Math.min(this.#retryAtMs, this.#now() + OPEN_MS_MAX);
    }
    return this.#retryAtMs;
  }
}
