import type { Reader } from './answer.ts';
import { outcomeOf } from './answer.ts';
import { backoffMs } from './backoff.ts';
import type { RequestBudget, Reservation } from '../budget/budget.ts';
import type { Priority } from '../budget/lane.ts';
import type { Circuit } from './circuit.ts';
import type { Clock } from '../clock.ts';
import type { Failure, Outcome } from './outcome.ts';
import { retryAfterMs, serviceAtMs, serviceCount, silentUntil } from '../budget/rate-header.ts';
import type { TokenSource } from '../token.ts';
import type { HttpResult, Method, Transport } from './transport.ts';

/** The service gives its own receivers 10 s too (spec, "Limits"). */
const REQUEST_TIMEOUT_MS = 10_000;

/** Few: each attempt costs a request of the budget, and the next sweep asks again. */
const TRIES_MAX = 3;

/** The deadline and priority of a call. */
export interface CallOptions {
  readonly priority: Priority;
  /** Unix milliseconds: no wait and no attempt exceeds it. */
  readonly deadlineMs: number;
}

export interface Call<Value> extends CallOptions {
  /** The operation's name in metrics. */
  readonly operation: string;
  readonly method: Method;
  /** Path with its query, from the root of the origin. */
  readonly path: string;
  readonly body?: unknown;
  readonly read: Reader<Value>;
}

/** One attempt, reported to metrics and logs. */
export interface Attempt {
  readonly operation: string;
  readonly result: Outcome<unknown>['kind'];
  /** HTTP status, or null without an answer. */
  readonly status: number | null;
  readonly durationMs: number;
  /** The service's clock by the answer's `Date`: Unix milliseconds, in whole seconds. Else null. */
  readonly serviceAtMs: number | null;
  /** Why it brought no value. */
  readonly failure: Exclude<Outcome<unknown>, { kind: 'ok' }> | null;
}

export interface CallerParts {
  readonly transport: Transport;
  readonly tokens: TokenSource;
  readonly budget: Pick<RequestBudget, 'silence'>;
  /** The budget's `reserve`, or that of a budget which several machines share. */
  readonly reserve: (wanted: CallOptions) => Promise<Reservation> | Reservation;
  readonly circuit: Circuit;
  readonly clock: Clock;
  /** In [0, 1): jitter of the backoff. */
  readonly random: () => number;
  readonly observe: (attempt: Attempt) => void;
}

/** How an attempt ended, and whether a retry may help. */
interface Tried<Value> {
  readonly outcome: Outcome<Value>;
  readonly retry: 'never' | 'after-backoff' | 'when-budget-allows';
  /** Minimum wait in milliseconds, requested by the service. */
  readonly waitMs: number;
}

/**
 * Makes calls with token, budget, circuit and retries. Every result is a returned value. Once ended,
 * it waits for nothing and sends nothing.
 */
export class Caller {
  readonly #parts: CallerParts;
  readonly #ended = new AbortController();

  constructor(parts: CallerParts) {
    this.#parts = parts;
  }

  /** Aborts calls under way, also those that wait for a retry or for the budget. */
  end(): void {
    this.#ended.abort();
  }

  /**
   * Retries a GET after 5xx, transport errors and damaged bodies. Sends a call that changes
   * something once, because it may have been carried out. After 429 it was not, so it is retried.
   */
  async call<Value>(call: Call<Value>): Promise<Outcome<Value>> {
    for (let tries = 1; ; tries += 1) {
      const reserved = await this.#reserve(call);
      if (reserved.kind !== 'now') return reserved;
      const { outcome, retry, waitMs } = await this.#attempt(call, reserved);
      if (retry === 'never' || tries === TRIES_MAX) return outcome;
      if (retry === 'when-budget-allows') continue;
      const pauseMs = Math.max(waitMs, backoffMs(tries, this.#parts.random));
      if (this.#parts.clock.now() + pauseMs >= call.deadlineMs) return outcome;
      await this.#pause(pauseMs);
    }
  }

  /**
   * Waits for room in the budget. Asks the circuit last, because its one probe must really be sent.
   */
  async #reserve(call: CallOptions): Promise<Extract<Reservation, { kind: 'now' }> | Failure> {
    const { reserve, circuit, clock } = this.#parts;
    for (;;) {
      if (this.#ended.signal.aborted || clock.now() >= call.deadlineMs) return DEADLINE;
      const circuitState = circuit.state();
      if (circuitState.kind === 'open' && clock.now() < circuitState.retryAtMs) {
        return unavailable({ kind: 'circuit-open', retryAtMs: circuitState.retryAtMs });
      }
      const reserved = await this.#unlessEnded(reserve(call));
      if (reserved === 'ended') return DEADLINE;
      if (reserved.kind === 'refused') {
        return { kind: 'rate-budget', retryAtMs: reserved.retryAtMs };
      }
      if (reserved.kind === 'unrecorded') {
        return unavailable({ kind: 'unrecorded', detail: reserved.detail });
      }
      if (reserved.kind === 'now') {
        const admitted = circuit.admit();
        if (admitted.kind === 'go') return reserved;
        reserved.cancel();
        return unavailable({ kind: 'circuit-open', retryAtMs: admitted.retryAtMs });
      }
      await this.#pause(reserved.atMs - clock.now());
    }
  }

  /** A reservation, which a silent database may delay. The end waits for none, and sends nothing. */
  async #unlessEnded(
    reserving: Promise<Reservation> | Reservation,
  ): Promise<Reservation | 'ended'> {
    const { signal } = this.#ended;
    let end = (): void => undefined;
    const ended = new Promise<'ended'>((resolve) => {
      end = () => resolve('ended');
      signal.addEventListener('abort', end);
    });
    const reserved = await Promise.race([reserving, ended]);
    signal.removeEventListener('abort', end);
    if (reserved === 'ended') {
      void Promise.resolve(reserving).then((late) => late.kind === 'now' && late.cancel());
    }
    return reserved;
  }

  /** Resolves after `ms` milliseconds, or at the end. */
  #pause(ms: number): Promise<void> {
    const { signal } = this.#ended;
    return new Promise((resolve) => {
      const wake = (): void => {
        signal.removeEventListener('abort', wake);
        resolve();
      };
      signal.addEventListener('abort', wake);
      void this.#parts.clock.sleep(ms).then(wake);
    });
  }

  async #attempt<Value>(
    call: Call<Value>,
    reserved: Extract<Reservation, { kind: 'now' }>,
  ): Promise<Tried<Value>> {
    const { transport, tokens, clock, observe } = this.#parts;
    const startMs = clock.now();
    const timeoutMs = Math.min(REQUEST_TIMEOUT_MS, call.deadlineMs - startMs);
    let result: HttpResult | undefined;
    try {
      result = await transport.send({
        method: call.method,
        path: call.path,
        bearer: await tokens.bearer(),
        ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
        timeoutMs,
        signal: this.#ended.signal,
      });
    } finally {
      reserved.finish(
        result?.kind === 'answer' ? serviceCount(result.headers, clock.now()) : undefined,
      );
    }
    const tried = this.#triedAs(call, result, timeoutMs);
    observe({
      operation: call.operation,
      result: tried.outcome.kind,
      status: result.kind === 'answer' ? result.status : null,
      durationMs: clock.now() - startMs,
      serviceAtMs: result.kind === 'answer' ? serviceAtMs(result.headers) : null,
      failure: tried.outcome.kind === 'ok' ? null : tried.outcome,
    });
    return tried;
  }

  #triedAs<Value>(call: Call<Value>, result: HttpResult, timeoutMs: number): Tried<Value> {
    const { circuit, budget, clock, tokens } = this.#parts;
    const again = call.method === 'GET' ? 'after-backoff' : 'never';
    if (result.kind === 'failed') {
      const { cause } = result;
      // The caller ended this attempt early: that says nothing about the service.
      const cutShort = cause.kind === 'timeout' && timeoutMs < REQUEST_TIMEOUT_MS;
      if (cutShort || cause.kind === 'deadline') {
        return { outcome: DEADLINE, retry: 'never', waitMs: 0 };
      }
      circuit.failed();
      return { outcome: unavailable(cause), retry: again, waitMs: 0 };
    }
    const nowMs = clock.now();
    const { status, headers } = result;
    const untilMs = silentUntil({ status, headers, nowMs });
    if (untilMs !== undefined) budget.silence(untilMs);
    if (status >= 500) circuit.failed();
    else circuit.succeeded();
    if (status === 401) tokens.forget();
    if (status === 429) {
      const retryAtMs = untilMs ?? nowMs;
      return {
        outcome: { kind: 'rate-budget', retryAtMs },
        retry: 'when-budget-allows',
        waitMs: 0,
      };
    }
    const outcome = outcomeOf(result, call.read);
    if (outcome.kind === 'damaged') {
      return { outcome: { kind: 'malformed', detail: outcome.detail }, retry: again, waitMs: 0 };
    }
    if (outcome.kind !== 'unavailable') return { outcome, retry: 'never', waitMs: 0 };
    return { outcome, retry: again, waitMs: retryAfterMs(headers, nowMs) ?? 0 };
  }
}

const DEADLINE = unavailable({ kind: 'deadline' });

function unavailable(cause: Extract<Failure, { kind: 'unavailable' }>['cause']): Failure {
  return { kind: 'unavailable', cause };
}
