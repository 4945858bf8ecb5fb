import { Heap } from './heap.ts';

/** A task to run at a time. A returned promise is awaited before the next task runs. */
export type Task = () => void | Promise<void>;

/** Names one scheduled task, so that it can be cancelled. */
export interface Handle {
  readonly id: number;
}

/** The only source of time in the custody core; every time is Unix epoch milliseconds. */
export interface Clock {
  now(): number;
  /** Runs `task` once at `timeMs`, or as soon as possible when that is past; never synchronously. */
  at(timeMs: number, task: Task): Handle;
  /** Forgets a task that has not begun; a no-op for any other. */
  cancel(handle: Handle): void;
  /**
   * Declares real work in flight (a webhook attempt on a socket) that a task must not await, because
   * it may hang. A virtual clock stands still while such work makes progress, so that a quick
   * receiver is never timed out by a long advance, and passes it by once it seems to hang.
   */
  hold(work: Promise<unknown>): void;
  /**
   * Whether a run on this clock repeats itself, given the same seed and calls. What would leave its
   * order to chance, such as concurrent webhooks, must then be done one after the other.
   */
  readonly isRepeatable: boolean;
}

/** Node holds a timer's delay in 32 bits; a longer wait is slept in several naps. */
const NAP_MS_MAX = 2 ** 31 - 1;

/** Time as the machine tells it. */
export class RealClock implements Clock {
  readonly isRepeatable = false;
  readonly #timers = new Map<number, NodeJS.Timeout>();
  readonly #onError: (error: unknown) => void;
  #lastId = 0;

  /** `onError` gets what a task threw (a bug); by default it becomes an uncaught exception. */
  constructor(options: { onError?: (error: unknown) => void } = {}) {
    this.#onError =
      options.onError ??
      ((error) => {
        setImmediate(() => {
          throw error;
        });
      });
  }

  now(): number {
    return Date.now();
  }

  at(timeMs: number, task: Task): Handle {
    this.#lastId += 1;
    const id = this.#lastId;
    this.#nap(id, timeMs, task);
    return { id };
  }

  cancel(handle: Handle): void {
    clearTimeout(this.#timers.get(handle.id));
    this.#timers.delete(handle.id);
  }

  hold(): void {
    // Real time cannot be held up.
  }

  /** Cancels every task; afterwards no timer of this clock keeps the process alive. */
  stop(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }

  #nap(id: number, timeMs: number, task: Task): void {
    const delayMs = Math.max(0, timeMs - Date.now());
    const timer = setTimeout(
      () => {
        if (timeMs > Date.now() + 1) return this.#nap(id, timeMs, task);
        this.#timers.delete(id);
        return void this.#run(task);
      },
      Math.min(delayMs, NAP_MS_MAX),
    );
    this.#timers.set(id, timer);
  }

  async #run(task: Task): Promise<void> {
    try {
      await task();
    } catch (error) {
      this.#onError(error);
    }
  }
}

/** Where a virtual clock starts, always: 2026-01-01T00:00:00Z. */
export const VIRTUAL_START_MS = 1_767_225_600_000;

/** How long, in real time, a virtual clock waits for held work before it counts as hanging. */
const PATIENCE_MS = 2_000;

interface Scheduled {
  readonly id: number;
  readonly timeMs: number;
  readonly task: Task;
}

/**
 * Time that moves only when told. `advance` runs what becomes due in (time, insertion) order; the
 * cost is by tasks, never by the length of the span.
 */
export class VirtualClock implements Clock {
  readonly isRepeatable = true;
  readonly #patienceMs: number;
  readonly #heap = new Heap<Scheduled>(before);
  readonly #cancelled = new Set<number>();
  readonly #pending = new Set<number>();
  readonly #held = new Map<Promise<unknown>, NodeJS.Timeout>();
  #nowMs: number;
  #era = 0;
  #lastId = 0;
  #turn: Promise<void> = Promise.resolve();
  #wake: (() => void) | undefined;

  constructor(options: { startMs?: number; patienceMs?: number } = {}) {
    this.#nowMs = options.startMs ?? VIRTUAL_START_MS;
    this.#patienceMs = options.patienceMs ?? PATIENCE_MS;
  }

  now(): number {
    return this.#nowMs;
  }

  at(timeMs: number, task: Task): Handle {
    this.#lastId += 1;
    const id = this.#lastId;
    this.#pending.add(id);
    this.#heap.push({ id, timeMs, task });
    return { id };
  }

  cancel(handle: Handle): void {
    if (this.#pending.delete(handle.id)) this.#cancelled.add(handle.id);
  }

  hold(work: Promise<unknown>): void {
    const forget = (): void => {
      clearTimeout(this.#held.get(work));
      this.#held.delete(work);
      this.#wake?.();
    };
    const timer = setTimeout(forget, this.#patienceMs);
    timer.unref();
    this.#held.set(work, timer);
    work.then(forget, forget);
  }

  /**
   * Moves time forward by `ms` (0 settles what is due now) and resolves when everything due by then
   * has run and no held work makes progress. Calls queue up behind each other. Rejects with what
   * a task threw.
   */
  advance(ms: number): Promise<void> {
    const turn = this.#turn.then(() => this.#runUntil(this.#nowMs + ms));
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  /**
   * Sets the time, backwards too, and forgets every task: the first half of a restore. The owners
   * of the tasks schedule them again from their records (`resume`). An advance under way ends there:
   * it moved a time that is gone.
   */
  reset(nowMs: number): void {
    this.#era += 1;
    this.#heap.clear();
    this.#cancelled.clear();
    this.#pending.clear();
    this.#nowMs = nowMs;
  }

  async #runUntil(endMs: number): Promise<void> {
    const era = this.#era;
    for (;;) {
      if (era !== this.#era) return;
      const next = this.#peek();
      if (next !== undefined && next.timeMs <= this.#nowMs) {
        this.#heap.pop();
        this.#pending.delete(next.id);
        const done = next.task();
        if (done !== undefined) await done;
        continue;
      }
      if (this.#held.size > 0) {
        await this.#nextSettled();
        continue;
      }
      if (next === undefined || next.timeMs > endMs) break;
      this.#nowMs = next.timeMs;
    }
    this.#nowMs = Math.max(this.#nowMs, endMs);
  }

  #peek(): Scheduled | undefined {
    for (;;) {
      const next = this.#heap.peek();
      if (next === undefined || !this.#cancelled.delete(next.id)) return next;
      this.#heap.pop();
    }
  }

  async #nextSettled(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = undefined;
    // The owner of the settled work continues in microtasks of its own, and may schedule more.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function before(left: Scheduled, right: Scheduled): boolean {
  return left.timeMs === right.timeMs ? left.id < right.id : left.timeMs < right.timeMs;
}
