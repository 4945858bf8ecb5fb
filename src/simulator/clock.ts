import { Heap } from './heap.ts';

/** A scheduled task. The clock awaits a returned promise before it runs the next task. */
export type Task = () => void | Promise<void>;

/** Identifies one scheduled task, so that it can be cancelled. */
export interface Handle {
  readonly id: number;
}

/** The only source of time in the custody core. Every time is in Unix epoch milliseconds. */
export interface Clock {
  now(): number;
  /**
   * Runs `task` once at `timeMs`, or as soon as possible when that is past. Never runs it
   * synchronously.
   */
  at(timeMs: number, task: Task): Handle;
  /** Removes a task that has not begun; has no effect on any other. */
  cancel(handle: Handle): void;
  /**
   * Declares running work on a socket, such as a webhook attempt. No task may await it, because it
   * can hang. A virtual clock stops while the work makes progress, so that a long advance
   * does not time out a quick receiver. When the work seems to hang, the clock continues.
   */
  hold(work: Promise<unknown>): void;
  /**
   * Whether a run on this clock repeats itself with the same seed and calls. Work with a random
   * order, such as concurrent webhooks, must then run one after the other.
   */
  readonly isRepeatable: boolean;
}

/** Node holds a timer's delay in 32 bits, so a longer wait takes several timers. */
const NAP_MS_MAX = 2 ** 31 - 1;

/** A task of the real clock. It has no timer while the clock is paused. */
interface Planned {
  readonly timeMs: number;
  readonly task: Task;
  timer: NodeJS.Timeout | undefined;
}

/**
 * The machine's time. `pause` stops it and every task; `goOn` returns to the machine's time, and
 * what became due meanwhile runs at once, in order.
 */
export class RealClock implements Clock {
  readonly isRepeatable = false;
  readonly #planned = new Map<number, Planned>();
  readonly #onError: (error: unknown) => void;
  #lastId = 0;
  #pausedAtMs: number | undefined;

  /**
   * `onError` receives an error that a task threw (a bug). By default it becomes an uncaught
   * exception.
   */
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
    return this.#pausedAtMs ?? Date.now();
  }

  get isPaused(): boolean {
    return this.#pausedAtMs !== undefined;
  }

  pause(): void {
    if (this.#pausedAtMs !== undefined) return;
    this.#pausedAtMs = Date.now();
    for (const planned of this.#planned.values()) clearTimeout(planned.timer);
  }

  goOn(): void {
    if (this.#pausedAtMs === undefined) return;
    this.#pausedAtMs = undefined;
    // Timers of one delay run in the order in which they were set.
    const inOrder = [...this.#planned].toSorted(([, one], [, two]) => one.timeMs - two.timeMs);
    for (const [id, planned] of inOrder) this.#nap(id, planned);
  }

  at(timeMs: number, task: Task): Handle {
    this.#lastId += 1;
    const id = this.#lastId;
    const planned: Planned = { timeMs, task, timer: undefined };
    this.#planned.set(id, planned);
    if (this.#pausedAtMs === undefined) this.#nap(id, planned);
    return { id };
  }

  cancel(handle: Handle): void {
    clearTimeout(this.#planned.get(handle.id)?.timer);
    this.#planned.delete(handle.id);
  }

  hold(): void {
    // Real time does not wait.
  }

  /** Cancels every task, so that no timer of this clock keeps the process alive. */
  stop(): void {
    for (const { timer } of this.#planned.values()) clearTimeout(timer);
    this.#planned.clear();
  }

  #nap(id: number, planned: Planned): void {
    const { timeMs, task } = planned;
    const delayMs = Math.max(0, timeMs - Date.now());
    planned.timer = setTimeout(
      () => {
        if (timeMs > Date.now() + 1) return this.#nap(id, planned);
        this.#planned.delete(id);
        return void this.#run(task);
      },
      Math.min(delayMs, NAP_MS_MAX),
    );
  }

  async #run(task: Task): Promise<void> {
    try {
      await task();
    } catch (error) {
      this.#onError(error);
    }
  }
}

/** Start of every virtual clock by default: 2026-01-01T00:00:00Z. */
export const VIRTUAL_START_MS = 1_767_225_600_000;

/**
 * Real time in milliseconds that a virtual clock waits for held work. After it the work counts as
 * hanging.
 */
const PATIENCE_MS = 2_000;

interface Scheduled {
  readonly id: number;
  readonly timeMs: number;
  readonly task: Task;
}

/**
 * Virtual time, which moves only by `advance`. It runs due tasks in order of time and insertion.
 * The cost depends on the number of tasks, never on the length of the advance.
 */
export class VirtualClock implements Clock {
  readonly isRepeatable: boolean = true;
  readonly #patienceMs: number;
  readonly #heap = new Heap<Scheduled>(before);
  readonly #cancelled = new Set<number>();
  readonly #pending = new Set<number>();
  readonly #held = new Map<Promise<unknown>, NodeJS.Timeout>();
  #nowMs: number;
  #resets = 0;
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
   * Moves time forward by `ms`; 0 runs the tasks that are due now. Resolves when all due tasks have
   * run and no held work makes progress. Concurrent calls run one after the other. Rejects with the
   * error of a task.
   */
  advance(ms: number): Promise<void> {
    const turn = this.#turn.then(() => this.#runUntil(this.#nowMs + ms));
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  /**
   * Sets the time, backwards too, and removes every task: the first half of a restore. The owners
   * then schedule their tasks again from their rows (`resume`). A running advance ends, because it
   * moved the replaced time.
   */
  reset(nowMs: number): void {
    this.#resets += 1;
    this.#heap.clear();
    this.#cancelled.clear();
    this.#pending.clear();
    this.#nowMs = nowMs;
  }

  async #runUntil(endMs: number): Promise<void> {
    const resets = this.#resets;
    for (;;) {
      if (resets !== this.#resets) return;
      const next = this.#peek();
      if (next !== undefined && next.timeMs <= this.#nowMs) {
        this.#heap.pop();
        this.#pending.delete(next.id);
        const done = next.task();
        if (done !== undefined) await done;
        continue;
      }
      if (this.#held.size > 0) {
        await this.#heldWorkEnds();
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

  async #heldWorkEnds(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = undefined;
    // The owner of the finished work continues in microtasks and may schedule more.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function before(left: Scheduled, right: Scheduled): boolean {
  return left.timeMs === right.timeMs ? left.id < right.id : left.timeMs < right.timeMs;
}
