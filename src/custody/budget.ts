import {
  isUnderWay,
  MemoryRequestLog,
  REMEMBERED_MS,
  type RequestEntries,
  type RequestHistory,
  type RequestLog,
  type ServiceCount,
  type Step,
} from './budget/request-log.ts';
import { laneRoom, laneRoomAt, shareOf, WINDOWS, type Priority } from './budget/lane.ts';
import { usedOf } from './budget/window.ts';

/** The longest silence a header can impose: the longest window of the spec. */
export const SILENCE_MS_MAX = REMEMBERED_MS;

/** Another process keeps the log for microseconds, so the next try comes soon. */
const BUSY_MS = 50;

export type Reservation =
  /** Call exactly one of the two: `settle` after the answer or failure, `cancel` if nothing was sent. */
  | {
      readonly kind: 'now';
      /** `count`: what the answer says of the service's own count. */
      settle(count?: ServiceCount): void;
      cancel(): void;
    }
  /** Ask again at `atMs`, which is not after the deadline. */
  | { readonly kind: 'wait-until'; readonly atMs: number }
  /** No room before the deadline; the first moment it could be is `retryAtMs`. */
  | { readonly kind: 'refused'; readonly retryAtMs: number }
  /** The request could not be recorded, so it must not be sent. */
  | { readonly kind: 'unrecorded'; readonly detail: string };

/**
 * Keeps all clients that share a log below both limits, as the service counts them. A request counts
 * from its reservation, which is in the log before the request is sent, until a full window after
 * its answer. So no window at the service can see more than the limit, whatever the network delays,
 * and whichever process dies. What the service says of its own count holds too: others may use the
 * same API client. All times are Unix milliseconds of the injected clock.
 */
export class RequestBudget {
  readonly #now: () => number;
  readonly #log: RequestLog;
  /** What the log could not take yet: ends of requests, and silences. */
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

  /** The first moment when a request of a priority may start, Unix ms; now where it may at once. */
  roomAtMs(priority: Priority): number {
    return this.#look(this.#now() + BUSY_MS, (history, nowMs) =>
      firstRoom(history, priority, nowMs),
    );
  }

  /** Requests of a priority that may start now without waiting, one after the other. */
  room(priority: Priority): number {
    return this.#look(0, (history, nowMs) => {
      if (firstRoom(history, priority, nowMs) > nowMs) return 0;
      const left = leftByService(history, priority, nowMs);
      return Math.max(0, Math.min(laneRoom(history.requests, priority, nowMs), left));
    });
  }

  /** No request before `untilMs`: the service said that its window is used up. Never shortens. */
  silence(untilMs: number): void {
    const bounded = Math.min(untilMs, this.#now() + SILENCE_MS_MAX);
    this.#write((entries) => entries.silenceUntil(bounded));
  }

  /** Requests that count against each window now, for metrics and `/readyz`. */
  used(): { minute: number; hour: number } {
    this.#usedLast = this.#look(this.#usedLast, ({ requests }, nowMs) => ({
      minute: usedOf(requests, WINDOWS.minute, nowMs),
      hour: usedOf(requests, WINDOWS.hour, nowMs),
    }));
    return this.#usedLast;
  }

  /** Lets go of the log. Requests under way then count as lost ones. */
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
      settle: (count) => {
        const nowMs = this.#now();
        end((entries) => {
          entries.settle(id, nowMs);
          if (count !== undefined) entries.tell({ ...count, requestId: id });
        });
      },
      cancel: () => end((entries) => entries.cancel(id)),
    };
  }

  /** Writes now, or with the next step when the log cannot be had at once. */
  #write(write: (entries: RequestEntries) => void): void {
    this.#unwritten.push(write);
    this.#step(() => undefined);
  }

  /** The time is read inside: nobody else can write a later one before this step ends. */
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

function within(atMs: number, deadlineMs: number): Reservation {
  return atMs <= deadlineMs ? { kind: 'wait-until', atMs } : { kind: 'refused', retryAtMs: atMs };
}

function firstRoom(history: RequestHistory, priority: Priority, nowMs: number): number {
  const resetMs =
    leftByService(history, priority, nowMs) > 0 ? nowMs : (history.told?.resetAtMs ?? nowMs);
  const laneMs = laneRoomAt(history.requests, priority, nowMs);
  return Math.max(history.silentUntilMs, resetMs, laneMs);
}

/**
 * Requests that the service's own count leaves to a priority until its window resets. A request
 * that was under way beside the one answered may be in that count or not: it is taken as not.
 */
function leftByService({ told, requests }: RequestHistory, priority: Priority, nowMs: number) {
  if (told === null || told.resetAtMs <= nowMs) return Number.MAX_SAFE_INTEGER;
  const { limit, remaining, requestId } = told;
  const since = requests.filter(
    (one) => one.id > requestId || (one.id < requestId && isUnderWay(one, nowMs)),
  ).length;
  const reserve = limit === null ? 0 : limit - shareOf(limit, priority);
  return remaining - since - reserve;
}
