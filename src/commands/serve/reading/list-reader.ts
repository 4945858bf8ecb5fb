import { ReadRefused } from '../../../store/reads.ts';
import type { Calls, Method } from './messages.ts';

/** A thread that reads, one call at a time. */
export interface ReadingThread {
  ask<M extends Method>(method: M, args: Calls[M]['args']): Promise<Calls[M]['answer']>;
  /** Resolves when it has ended; a read that is under way ends first, and its answer is dropped. */
  close(): Promise<void>;
}

/** A few people with a page each; more only lengthens the wait of all. */
const WAITING_MAX = 64;

/** From the call to the answer. Browsers and programs give up after half a minute. */
const TIME_MS_MAX = 30_000;

interface Waiting {
  readonly run: (thread: ReadingThread) => Promise<unknown>;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * Reads what people look at: lists, balances and documents, one after the other. Calls beyond
 * `waitingMax`, and those that take longer than `timeMsMax`, are refused.
 *
 * SQLite cannot be interrupted in a statement. So a thread whose call ran out of time is closed, and
 * the next call goes to a new one when it has ended.
 */
export class ListReader {
  readonly #started: () => ReadingThread;
  readonly #waitingMax: number;
  readonly #timeMsMax: number;
  #thread: ReadingThread;
  #queue: Waiting[] = [];
  /** The call that the thread is at. */
  #current: Waiting | null = null;
  #closed = false;

  constructor(options: { started: () => ReadingThread; waitingMax?: number; timeMsMax?: number }) {
    this.#started = options.started;
    this.#waitingMax = options.waitingMax ?? WAITING_MAX;
    this.#timeMsMax = options.timeMsMax ?? TIME_MS_MAX;
    this.#thread = this.#started();
  }

  /** Rejects with `ReadRefused` when there is no room, or no time left. */
  ask<M extends Method>(method: M, args: Calls[M]['args']): Promise<Calls[M]['answer']> {
    if (this.#queue.length >= this.#waitingMax) {
      return Promise.reject(new ReadRefused('too many lists are being read: try again later'));
    }
    return new Promise<Calls[M]['answer']>((resolve, reject) => {
      const call: Waiting = {
        run: (thread) => thread.ask(method, args),
        resolve: (answer) => resolve(answer as Calls[M]['answer']),
        reject,
        timer: setTimeout(() => void this.#giveUp(call), this.#timeMsMax),
      };
      this.#queue.push(call);
      this.#next();
    });
  }

  /** Ends the thread; what still waits for an answer fails. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const call of this.#queue.splice(0)) end(call, new Error('the reader is closed'));
    await this.#thread.close();
  }

  #next(): void {
    if (this.#current !== null || this.#closed) return;
    const call = this.#queue.shift();
    if (call === undefined) return;
    this.#current = call;
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

  #done(call: Waiting): void {
    clearTimeout(call.timer);
    // Of a call that was given up the thread is closed, and another begins the next.
    if (this.#current !== call) return;
    this.#current = null;
    this.#next();
  }

  async #giveUp(call: Waiting): Promise<void> {
    call.reject(new ReadRefused('the list took too long to read: ask for less of it'));
    const isWaiting = this.#queue.includes(call);
    if (isWaiting) {
      this.#queue = this.#queue.filter((one) => one !== call);
      return;
    }
    if (this.#current !== call || this.#closed) return;
    await this.#thread.close();
    if (this.#closed) return;
    this.#thread = this.#started();
    this.#current = null;
    this.#next();
  }
}

function end(call: Waiting, error: Error): void {
  clearTimeout(call.timer);
  call.reject(error);
}
