/** One request as the windows count it. Times are Unix milliseconds. */
export interface LoggedRequest {
  /** Grows with every request, over restarts and over all processes that share the log. */
  readonly id: number;
  /** What the request was for. */
  readonly lane: string;
  readonly startedAtMs: number;
  /** Null while the request is under way, and for good when its process died meanwhile. */
  readonly settledAtMs: number | null;
}

/** What the service itself said of its count with an answer (spec, "Limits"). */
export interface ServiceCount {
  /** Requests of its window; null where it did not say. */
  readonly limit: number | null;
  readonly remaining: number;
  /** Unix ms of our clock. */
  readonly resetAtMs: number;
}

/** Everything that decides whether the next request may start. */
export interface RequestHistory {
  readonly requests: readonly LoggedRequest[];
  /** The newest count of the service, and the request that was answered with it. */
  readonly told: (ServiceCount & { readonly requestId: number }) | null;
  /** No request before this time (Unix ms). */
  readonly silentUntilMs: number;
}

/** The log, while one process has it alone. */
export interface RequestEntries {
  /**
   * The last hour as of `nowMs`. A time after `nowMs` was written before the clock was set back: it
   * is moved to `nowMs` for good, so that it counts for one window from now and no longer.
   */
  historyAt(nowMs: number): RequestHistory;
  /** Records a request before it is sent, and gives its id. */
  start(request: { readonly lane: string; readonly atMs: number }): number;
  settle(id: number, atMs: number): void;
  /** Nothing was sent: the request never counted. */
  cancel(id: number): void;
  tell(count: ServiceCount & { readonly requestId: number }): void;
  silenceUntil(ms: number): void;
}

export type Step<Value> =
  | { readonly kind: 'done'; readonly value: Value }
  /** Another process has the log: try again in a moment. */
  | { readonly kind: 'busy' }
  /** The log cannot be read or written, e.g. a full disk. Nothing was recorded. */
  | { readonly kind: 'failed'; readonly detail: string };

/** Where the requests of the last hour are recorded, and what the service said of them. */
export interface RequestLog {
  /** Runs `step` while nobody else reads or writes the log; all it writes is kept, or nothing. */
  alone<Value>(step: (entries: RequestEntries) => Value): Step<Value>;
  close(): void;
}

/** Older requests count in no window. */
export const REMEMBERED_MS = 3_600_000;

/**
 * A request that is under way for longer was lost with its process. An attempt takes 10 s at most.
 * From then on the request counts like one that settled at this age.
 */
export const UNDER_WAY_MS_MAX = 20_000;

/** When a request was, or at the latest will be, settled. */
export function settledBy({ startedAtMs, settledAtMs }: LoggedRequest): number {
  return settledAtMs ?? startedAtMs + UNDER_WAY_MS_MAX;
}

export function isUnderWay({ startedAtMs, settledAtMs }: LoggedRequest, nowMs: number): boolean {
  return settledAtMs === null && startedAtMs + UNDER_WAY_MS_MAX >= nowMs;
}

/** The log of one process alone: it starts empty with each one. */
export class MemoryRequestLog implements RequestLog, RequestEntries {
  #requests: LoggedRequest[] = [];
  #lastId = 0;
  #told: RequestHistory['told'] = null;
  #silentUntilMs = 0;

  alone<Value>(step: (entries: RequestEntries) => Value): Step<Value> {
    return { kind: 'done', value: step(this) };
  }

  historyAt(nowMs: number): RequestHistory {
    this.#requests = this.#requests.flatMap((request) => {
      if (settledBy(request) + REMEMBERED_MS < nowMs) return [];
      return request.startedAtMs <= nowMs && (request.settledAtMs ?? 0) <= nowMs
        ? [request]
        : [setBack(request, nowMs)];
    });
    const latestMs = nowMs + REMEMBERED_MS;
    this.#silentUntilMs = Math.min(this.#silentUntilMs, latestMs);
    if (this.#told !== null && this.#told.resetAtMs > latestMs) {
      this.#told = { ...this.#told, resetAtMs: latestMs };
    }
    return { requests: this.#requests, told: this.#told, silentUntilMs: this.#silentUntilMs };
  }

  start({ lane, atMs }: { readonly lane: string; readonly atMs: number }): number {
    this.#lastId += 1;
    this.#requests.push({ id: this.#lastId, lane, startedAtMs: atMs, settledAtMs: null });
    return this.#lastId;
  }

  settle(id: number, atMs: number): void {
    const index = this.#requests.findLastIndex((request) => request.id === id);
    const request = this.#requests[index];
    if (request !== undefined) this.#requests[index] = { ...request, settledAtMs: atMs };
  }

  cancel(id: number): void {
    const index = this.#requests.findLastIndex((request) => request.id === id);
    if (index >= 0) this.#requests.splice(index, 1);
  }

  tell(count: ServiceCount & { readonly requestId: number }): void {
    this.#told = count;
  }

  silenceUntil(ms: number): void {
    this.#silentUntilMs = Math.max(this.#silentUntilMs, ms);
  }

  close(): void {
    // Nothing to let go of.
  }
}

function setBack(request: LoggedRequest, nowMs: number): LoggedRequest {
  const { startedAtMs, settledAtMs } = request;
  return {
    ...request,
    startedAtMs: Math.min(startedAtMs, nowMs),
    settledAtMs: settledAtMs === null ? null : Math.min(settledAtMs, nowMs),
  };
}
