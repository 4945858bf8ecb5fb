import { setImmediate as soon } from 'node:timers';
import { Worker } from 'node:worker_threads';
import { FailedInThread } from './thread-failure.ts';
import { LongAnswer } from './long-answer.ts';
import type { Calls, FromReader, Method, ReaderOptions, ToReader } from './messages.ts';

/** The built file: Node does not run the sources. */
const READER = new URL('./reader.js', import.meta.url);

interface PendingCall {
  readonly long: LongAnswer;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
}

/**
 * A thread that reads the store on its own connection.
 *
 * Modes: running → closing (`close`) → ended, or running → lost when the thread stops unexpectedly:
 * then all pending and later calls fail.
 */
export class ReaderThread {
  readonly #worker: Worker;
  readonly #pending = new Map<number, PendingCall>();
  #lastId = 0;
  #mode: 'running' | 'closing' | 'lost' = 'running';

  constructor(options: ReaderOptions & { readonly onLost: (error: Error) => void }) {
    const { onLost, ...workerData } = options;
    this.#worker = new Worker(READER, { workerData: workerData satisfies ReaderOptions });
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

  ask<M extends Method>(method: M, args: Calls[M]['args']): Promise<Calls[M]['answer']> {
    if (this.#mode !== 'running') return Promise.reject(new Error('the reader thread has ended'));
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise<Calls[M]['answer']>((resolve, reject) => {
      this.#pending.set(id, {
        long: new LongAnswer(),
        // The thread answers with the result of the same method.
        resolve: (answer) => resolve(answer as Calls[M]['answer']),
        reject,
      });
      this.#say({ kind: 'call', id, method, args } as ToReader);
    });
  }

  /** Ends the thread; pending calls fail. */
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
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    switch (message.kind) {
      case 'part':
        pending.long.take(message.part);
        // Not immediately, so that other work of the event loop runs between two parts.
        soon(() => this.#say({ kind: 'more', id }));
        return;
      case 'answered':
        this.#pending.delete(id);
        pending.resolve(pending.long.with(message.answer));
        return;
      case 'failed':
        this.#pending.delete(id);
        pending.reject(new FailedInThread(message.failure));
        return;
      default:
        message satisfies never;
    }
  }

  #failAll(error: Error): void {
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }
}
