/** Failures in a row that open the circuit: one request with all its retries, and two more. */
const FAILURES_TO_OPEN = 5;

/** The first opening is short, so that a hiccup costs little; each failed try doubles it. */
const OPEN_MS_FIRST = 2_000;

/** An open circuit tries again after at most this long. */
const OPEN_MS_MAX = 30_000;

export type CircuitState =
  | { readonly kind: 'closed'; readonly failures: number }
  | { readonly kind: 'open'; readonly retryAtMs: number; readonly failures: number }
  /** One request is out to see whether the service is back. */
  | { readonly kind: 'half-open'; readonly failures: number };

/**
 * Spares a service that is down, and our request budget with it.
 *
 * | from      | event                    | to        |
 * |-----------|--------------------------|-----------|
 * | closed    | 5th failure in a row     | open      |
 * | open      | asked after `retryAtMs`  | half-open |
 * | half-open | that request succeeds    | closed    |
 * | half-open | that request fails       | open, for twice as long, at most 30 s |
 *
 * A success anywhere closes it. Times are Unix milliseconds of the injected clock.
 */
export class Circuit {
  readonly #now: () => number;
  #failures = 0;
  #openings = 0;
  /** Undefined while closed. Half-open: when the try is given up for lost. */
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

  /** May a request be sent now? In a half-open circuit only one may. */
  admit(): { kind: 'go' } | { kind: 'open'; retryAtMs: number } {
    const retryAtMs = this.#boundedRetryAt();
    if (retryAtMs === undefined) return { kind: 'go' };
    const nowMs = this.#now();
    if (nowMs < retryAtMs) return { kind: 'open', retryAtMs };
    this.#trying = true;
    // A try whose end nobody reports must not keep the circuit half-open for ever.
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
    // Requests admitted before the opening fail late, and are no further tries.
    if (this.#retryAtMs !== undefined && !this.#trying) return;
    this.#trying = false;
    this.#retryAtMs = this.#now() + Math.min(OPEN_MS_MAX, OPEN_MS_FIRST * 2 ** this.#openings);
    this.#openings += 1;
  }

  /** A clock that was set back must not keep the circuit open for longer than the bound. */
  #boundedRetryAt(): number | undefined {
    if (this.#retryAtMs !== undefined) {
      this.#retryAtMs = Math.min(this.#retryAtMs, this.#now() + OPEN_MS_MAX);
    }
    return this.#retryAtMs;
  }
}
