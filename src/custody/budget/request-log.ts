import type { CountedRequest } from './shared-count.ts';

/** One request as the windows count it. Times are Unix milliseconds. */
export interface LoggedRequest {
  /** Grows with every request, across restarts and processes that share the log. */
  readonly id: number;
  /** The purpose of the request. */
  readonly lane: string;
  readonly startedAtMs: number;
  /** Null while the request is under way, and for good when its process died. */
  readonly finishedAtMs: number | null;
}

/** The service's own count, from an answer (spec, "Limits"). */
export interface ServiceCount {
  /** Requests per window; null when the answer omits them. */
  readonly limit: number | null;
  readonly remaining: number;
  /** Unix milliseconds of our clock. */
  readonly resetAtMs: number;
}

/** Everything that decides whether the next request may start. */
export interface RequestHistory {
  readonly requests: readonly LoggedRequest[];
  /** The service's newest count, and the request whose answer carried it. */
  readonly serviceCount: (ServiceCount & { readonly requestId: number }) | null;
  /** No request before this time, Unix milliseconds. */
  readonly silentUntilMs: number;
}

/** The log, while one process holds it exclusively. */
export interface RequestEntries {
  /**
   * The last hour as of `nowMs`. A later time was written before the clock was set back. It becomes
   * `nowMs` permanently, so that it counts for one window from now and no longer.
   */
  historyAt(nowMs: number): RequestHistory;
  /** Records a request before it is sent. Returns its id. */
  start(request: { readonly lane: string; readonly atMs: number }): number;
  finish(id: number, atMs: number): void;
  /** Removes a request that was never sent. */
  cancel(id: number): void;
  recordServiceCount(count: ServiceCount & { readonly requestId: number }): void;
  silenceUntil(ms: number): void;
}

export type Step<Value> =
  | { readonly kind: 'done'; readonly value: Value }
  /** Another process holds the log: retry in a moment. */
  | { readonly kind: 'busy' }
  /** The log cannot be read or written, for example on a full disk. Nothing was recorded. */
  | { readonly kind: 'failed'; readonly detail: string };

/** Records the requests of the last hour, and the service's own counts. */
export interface RequestLog {
  /** Runs `step` with exclusive access. Keeps all of its writes, or none. */
  alone<Value>(step: (entries: RequestEntries) => Value): Step<Value>;
  close(): void;
}

/** Older requests count in no window, milliseconds. */
export const HISTORY_MS = 3_600_000;

/**
 * A request under way for longer was lost with its process, because an attempt takes at most 10 s.
 * It then counts as finished at this age, in milliseconds.
 */
export const UNDER_WAY_MS_MAX = 20_000;

/** When a request finished, or at the latest will be finished, in Unix milliseconds. */
export function finishedBy({ startedAtMs, finishedAtMs }: LoggedRequest): number {
  return finishedAtMs ?? startedAtMs + UNDER_WAY_MS_MAX;
}

/** Whether a request is under way at `nowMs`, Unix milliseconds. */
export function isUnderWay({ startedAtMs, finishedAtMs }: LoggedRequest, nowMs: number): boolean {
  return finishedAtMs === null && startedAtMs + UNDER_WAY_MS_MAX >= nowMs;
}

/** The log of a single process; it starts empty. */
export class MemoryRequestLog implements RequestLog, RequestEntries {
  #requests: LoggedRequest[] = [];
  #lastId = 0;
  #serviceCount: RequestHistory['serviceCount'] = null;
  #silentUntilMs = 0;

  alone<Value>(step: (entries: RequestEntries) => Value): Step<Value> {
    return { kind: 'done', value: step(this) };
  }

  historyAt(nowMs: number): RequestHistory {
    this.#requests = this.#requests.flatMap((request) => {
      if (finishedBy(request) + HISTORY_MS < nowMs) return [];
      return request.startedAtMs <= nowMs && (request.finishedAtMs ?? 0) <= nowMs
        ? [request]
        : [setBack(request, nowMs)];
    });
    const latestMs = nowMs + HISTORY_MS;
    this.#silentUntilMs = Math.min(this.#silentUntilMs, latestMs);
    if (this.#serviceCount !== null && this.#serviceCount.resetAtMs > latestMs) {
      this.#serviceCount = { ...this.#serviceCount, resetAtMs: latestMs };
    }
    return {
      requests: this.#requests,
      serviceCount: this.#serviceCount,
      silentUntilMs: this.#silentUntilMs,
    };
  }

  start({ lane, atMs }: { readonly lane: string; readonly atMs: number }): number {
    this.#lastId += 1;
    this.#requests.push({ id: this.#lastId, lane, startedAtMs: atMs, finishedAtMs: null });
    return this.#lastId;
  }

  finish(id: number, atMs: number): void {
    const index = this.#requests.findLastIndex((request) => request.id === id);
    const request = this.#requests[index];
    if (request !== undefined) this.#requests[index] = { ...request, finishedAtMs: atMs };
  }

  cancel(id: number): void {
    const index = this.#requests.findLastIndex((request) => request.id === id);
    if (index >= 0) this.#requests.splice(index, 1);
  }

  recordServiceCount(count: ServiceCount & { readonly requestId: number }): void {
    this.#serviceCount = count;
  }

  silenceUntil(ms: number): void {
    this.#silentUntilMs = Math.max(this.#silentUntilMs, ms);
  }

  /**
   * Replaces what is known of finished requests by a shared count as of `nowMs`. Own requests under
   * way stay, so until they end they may count twice. The next answer brings the service's count.
   */
  adopt(counted: readonly CountedRequest[], nowMs: number): void {
    const underWay = this.#requests.filter(({ finishedAtMs }) => finishedAtMs === null);
    const adopted = counted.map(({ lane, startedAgoMs, finishedAgoMs }) => {
      this.#lastId += 1;
      const finishedAtMs = finishedAgoMs === null ? null : nowMs - finishedAgoMs;
      return { id: this.#lastId, lane, startedAtMs: nowMs - startedAgoMs, finishedAtMs };
    });
    this.#requests = [...adopted, ...underWay];
    this.#serviceCount = null;
  }

  close(): void {
    // Nothing to close.
  }
}

function setBack(request: LoggedRequest, nowMs: number): LoggedRequest {
  const { startedAtMs, finishedAtMs } = request;
  return {
    ...request,
    startedAtMs: Math.min(startedAtMs, nowMs),
    finishedAtMs: finishedAtMs === null ? null : Math.min(finishedAtMs, nowMs),
  };
}
