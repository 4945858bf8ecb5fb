import { setImmediate as soon } from 'node:timers';
import { Worker } from 'node:worker_threads';
import { FailedInThread } from './failure.ts';
import { LongAnswer } from './long-answer.ts';
import type { Calls, FromReader, Method, ReaderOptions, ToReader } from './messages.ts';

/** The built program's file; the sources are not run by Node as they are. */
const READER = new URL('./reader.js', import.meta.url);

interface Waiting {
  readonly long: LongAnswer;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
}

/**
 * A thread that reads the store on a connection of its own.
 *
 * Modes: running → closing (`close`) → ended, or running → lost, when the thread ends by itself:
 * what waits for an answer fails then, and so does every later call.
 */
export class ReaderThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #mode: 'running' | 'closing' | 'lost' = 'running';

  constructor(options: ReaderOptions & { readonly onLost: (error: Error) => void }) {
    const { path, pace, onLost } = options;
    this.#worker = new Worker(READER, { workerData: { path, pace } satisfies ReaderOptions });
    const lose = (error: Error): void => {
      if (this.#mode !== 'running') return;
      this.#mode = 'lost';
      this.#failAll(error);
      onLost(error);
    };
    this.#worker.on('message', (message: FromReader) => this.#take(message));
    this.#worker.on('messageerror', lose);
    this.#worker.on('error', lose);
    this.#worker.on('exit', (code) => lose(new Error(`the reader thread ended with ${code}`)));
  }

  get alive(): boolean {
    return this.#mode === 'running';
  }

  ask<M extends Method>(method: M, args: Calls[M]['args']): Promise<Calls[M]['answer']> {
    if (this.#mode !== 'running') return Promise.reject(new Error('the reader thread has ended'));
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise<Calls[M]['answer']>((resolve, reject) => {
      this.#waiting.set(id, {
        long: new LongAnswer(),
        // The thread answers a call with what the method of the same port gives.
        resolve: (answer) => resolve(answer as Calls[M]['answer']),
        reject,
      });
      this.#say({ kind: 'call', id, method, args } as ToReader);
    });
  }

  /** Ends the thread; what still waits for an answer fails. */
  async close(): Promise<void> {
    if (this.#mode === 'running') this.#mode = 'closing';
    this.#failAll(new Error('the reader thread is closed'));
    await this.#worker.terminate();
  }

  #say(message: ToReader): void {
    this.#worker.postMessage(message);
  }

  #take(message: FromReader): void {
    const { id } = message;
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    switch (message.kind) {
      case 'part':
        waiting.long.take(message.part);
        // Not at once: whatever else waits in the event loop has its turn between two parts.
        soon(() => this.#say({ kind: 'more', id }));
        return;
      case 'answered':
        this.#waiting.delete(id);
        waiting.resolve(waiting.long.with(message.answer));
        return;
      case 'failed':
        this.#waiting.delete(id);
        waiting.reject(new FailedInThread(message.failure));
        return;
      default:
        message satisfies never;
    }
  }

  #failAll(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
