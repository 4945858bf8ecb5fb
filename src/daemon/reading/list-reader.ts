import { ReadRefused } from '../../store/reads.ts';
import type { Calls, Method } from './messages.ts';

/** A thread that reads, one call at a time. */
export interface ReadingThread {
  ask<M extends Method>(method: M, args: Calls[M]['args']): Promise<Calls[M]['answer']>;
  /**
   * Ends the thread after the current read, whose answer is dropped. Resolves when it has ended.
   */
  close(): Promise<void>;
}

/** Most queued calls: twenty people open a page each, and a page makes up to twelve calls. */
const QUEUE_MAX = 256;

/** Time limit from the call to the answer; browsers and programs give up after half a minute. */
const TIME_MS_MAX = 30_000;

interface QueuedCall {
  readonly run: (thread: ReadingThread) => Promise<unknown>;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * Reads lists, balances and documents for people, one after another. Refuses calls beyond
 * `queueMax` and calls that take longer than `timeMsMax`.
 *
 * The thread starts with the first call: many receivers never list anything. SQLite cannot interrupt
 * a statement. So a thread whose call timed out is closed, and a new thread takes the next call once
 * the old one has ended.
 */
export class ListReader {
  readonly #started: () => ReadingThread;
  readonly #queueMax: number;
  readonly #timeMsMax: number;
  /** Null before the first call, and after one that took too long. */
  #thread: ReadingThread | null = null;
  #queue: QueuedCall[] = [];
  /** The current call of the thread. */
  #current: QueuedCall | null = null;
  #closed = false;

  constructor(options: { started: () => ReadingThread; queueMax?: number; timeMsMax?: number }) {
    this.#started = options.started;
    this.#queueMax = options.queueMax ?? QUEUE_MAX;
    this.#timeMsMax = options.timeMsMax ?? TIME_MS_MAX;
  }

  /** Rejects with `ReadRefused` when too many calls wait or the time limit passed. */
  ask<M extends Method>(method: M, args: Calls[M]['args']): Promise<Calls[M]['answer']> {
    if (this.#queue.length >= this.#queueMax) {
      return Promise.reject(new ReadRefused('too many lists are being read: try again later'));
    }
    return new Promise<Calls[M]['answer']>((resolve, reject) => {
      const call: QueuedCall = {
        run: (thread) => thread.ask(method, args),
        resolve: (answer) => resolve(answer as Calls[M]['answer']),
        reject,
        timer: setTimeout(() => void this.#giveUp(call), this.#timeMsMax),
      };
      this.#queue.push(call);
      this.#next();
    });
  }

  /** Ends the thread; queued calls fail. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const call of this.#queue.splice(0)) end(call, new Error('the reader is closed'));
    await this.#thread?.close();
  }

  #next(): void {
    if (this.#current !== null || this.#closed) return;
    const call = this.#queue.shift();
    if (call === undefined) return;
    this.#current = call;
    this.#thread ??= this.#started();
    call.run(this.#thread).then(
      (answer) => {
        call.resolve(answer);
        this.#done(call);
      },
      (error: unknown) => {
        call.reject(error instanceof Error ? error : new Error(String(error)));
        this.#done(call);
      },
    );
  }

  #done(call: QueuedCall): void {
    clearTimeout(call.timer);
    // A call that timed out: its thread is closing, and another thread takes the next call.
    if (this.#current !== call) return;
    this.#current = null;
    this.#next();
  }

  async #giveUp(call: QueuedCall): Promise<void> {
    call.reject(new ReadRefused('the list took too long to read: ask for less of it'));
    const isQueued = this.#queue.includes(call);
    if (isQueued) {
      this.#queue = this.#queue.filter((one) => one !== call);
      return;
    }
    if (this.#current !== call || this.#closed) return;
    await this.#thread?.close();
    if (this.#closed) return;
    this.#thread = null;
    this.#current = null;
    this.#next();
  }
}

function end(call: QueuedCall, error: Error): void {
  clearTimeout(call.timer);
  call.reject(error);
}
