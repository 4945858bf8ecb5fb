import {
  isUnderWay,
  MemoryRequestLog,
  HISTORY_MS,
  type RequestEntries,
  type RequestHistory,
  type RequestLog,
  type ServiceCount,
  type Step,
} from './request-log.ts';
import { laneRoom, laneRoomAt, shareOf, WINDOWS, type Priority } from './lane.ts';
import { usedOf } from './window.ts';

/** The longest silence that a header can impose: the longest window of the spec. */
export const SILENCE_MS_MAX = HISTORY_MS;

/** Another process holds the log for microseconds: retry soon. */
const BUSY_MS = 50;

export type Reservation =
  /** Call exactly one: `finish` after the answer or failure, `cancel` when nothing was sent. */
  | {
      readonly kind: 'now';
      /** `count`: the service's own count, from the answer. */
      finish(count?: ServiceCount): void;
      cancel(): void;
    }
  /** Ask again at `atMs`, which is before the deadline. */
  | { readonly kind: 'wait-until'; readonly atMs: number }
  /** No room before the deadline; `retryAtMs` is the earliest possible time. */
  | { readonly kind: 'refused'; readonly retryAtMs: number }
  /** The request could not be recorded, so it must not be sent. */
  | { readonly kind: 'unrecorded'; readonly detail: string };

/**
 * Keeps all clients that share a log below both limits, as the service counts them (spec,
 * "Limits"). The log records a request before it is sent. The request counts until a full window
 * after its answer. So no window at the service exceeds the limit, despite network delays and
 * killed processes. The service's own count applies too: others may use the same API client. Times
 * are Unix milliseconds of the injected clock.
 */
export class RequestBudget {
  readonly #now: () => number;
  readonly #log: RequestLog;
  /** Writes that the log has not accepted yet: finished requests and silences. */
  #unwritten: ((entries: RequestEntries) => void)[] = [];
  #usedLast = { minute: 0, hour: 0 };

  constructor(options: { now: () => number; log?: RequestLog }) {
    this.#now = options.now;
    this.#log = options.log ?? new MemoryRequestLog();
  }

  reserve(request: { priority: Priority; deadlineMs: number }): Reservation {
    const { priority, deadlineMs } = request;
    const step = this.#step((entries, nowMs): Reservation => {
      const atMs = firstRoom(entries.historyAt(nowMs), priority, nowMs);
      if (atMs <= nowMs) return this.#started(entries.start({ lane: priority, atMs: nowMs }));
      return within(atMs, deadlineMs);
    });
    if (step.kind === 'done') return step.value;
    if (step.kind === 'busy') return within(this.#now() + BUSY_MS, deadlineMs);
    return { kind: 'unrecorded', detail: step.detail };
  }

  /** The earliest time for a round of this many requests of a priority, Unix milliseconds. */
  roomAtMs(priority: Priority, count = 1): number {
    return this.#look(this.#now() + BUSY_MS, (history, nowMs) =>
      firstRoom(history, priority, nowMs, count),
    );
  }

  /** How many requests of a priority may start now, in a row. */
  room(priority: Priority): number {
    return this.#look(0, (history, nowMs) => {
      if (firstRoom(history, priority, nowMs) > nowMs) return 0;
      const left = leftByService(history, priority, nowMs);
      return Math.max(0, Math.min(laneRoom(history.requests, priority, nowMs), left));
    });
  }

  /**
   * Blocks requests until `untilMs`: the service's window is exhausted. Never shortens a silence.
   */
  silence(untilMs: number): void {
    const bounded = Math.min(untilMs, this.#now() + SILENCE_MS_MAX);
    this.#write((entries) => entries.silenceUntil(bounded));
  }

  /** Requests that count in each window now, for metrics and `/readyz`. */
  used(): { minute: number; hour: number } {
    this.#usedLast = this.#look(this.#usedLast, ({ requests }, nowMs) => ({
      minute: usedOf(requests, WINDOWS.minute, nowMs),
      hour: usedOf(requests, WINDOWS.hour, nowMs),
    }));
    return this.#usedLast;
  }

  /** Closes the log. Requests under way then count as lost. */
  close(): void {
    this.#log.close();
  }

  #started(id: number): Reservation {
    let open = true;
    const end = (write: (entries: RequestEntries) => void): void => {
      if (!open) return;
      open = false;
      this.#write(write);
    };
    return {
      kind: 'now',
      finish: (count) => {
        const nowMs = this.#now();
        end((entries) => {
          entries.finish(id, nowMs);
          if (count !== undefined) entries.recordServiceCount({ ...count, requestId: id });
        });
      },
      cancel: () => end((entries) => entries.cancel(id)),
    };
  }

  /** Writes now, or with the next step when the log is busy. */
  #write(write: (entries: RequestEntries) => void): void {
    this.#unwritten.push(write);
    this.#step(() => undefined);
  }

  /** Reads the time inside the step: nobody else can write a later one before it ends. */
  #step<Value>(run: (entries: RequestEntries, nowMs: number) => Value): Step<Value> {
    const step = this.#log.alone((entries) => {
      for (const write of this.#unwritten) write(entries);
      return run(entries, this.#now());
    });
    if (step.kind === 'done') this.#unwritten = [];
    return step;
  }

  #look<Value>(otherwise: Value, look: (history: RequestHistory, nowMs: number) => Value): Value {
    const step = this.#step((entries, nowMs) => look(entries.historyAt(nowMs), nowMs));
    return step.kind === 'done' ? step.value : otherwise;
  }
}

/** Waits until `atMs`, unless the deadline comes first. Unix milliseconds. */
export function within(atMs: number, deadlineMs: number): Reservation {
  return atMs <= deadlineMs ? { kind: 'wait-until', atMs } : { kind: 'refused', retryAtMs: atMs };
}

function firstRoom(history: RequestHistory, priority: Priority, nowMs: number, count = 1): number {
  const resetMs =
    leftByService(history, priority, nowMs) > 0
      ? nowMs
      : (history.serviceCount?.resetAtMs ?? nowMs);
  const laneMs = laneRoomAt(history.requests, priority, nowMs, count);
  return Math.max(history.silentUntilMs, resetMs, laneMs);
}

/**
 * Requests that the service's own count leaves to a priority until its window resets. A request
 * under way beside the answered one may not be in that count; it is assumed not to be.
 */
function leftByService(
  { serviceCount, requests }: RequestHistory,
  priority: Priority,
  nowMs: number,
) {
  if (serviceCount === null || serviceCount.resetAtMs <= nowMs) return Number.MAX_SAFE_INTEGER;
  const { limit, remaining, requestId } = serviceCount;
  const since = requests.filter(
    (one) => one.id > requestId || (one.id < requestId && isUnderWay(one, nowMs)),
  ).length;
  const reserve = limit === null ? 0 : limit - shareOf(limit, priority);
  return remaining - since - reserve;
}
