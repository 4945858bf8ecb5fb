import { Worker } from 'node:worker_threads';
import type { CheckpointerOptions } from './messages.ts';

/** The built file: Node does not run the sources. */
const CHECKPOINTER = new URL('./checkpointer.js', import.meta.url);

/**
 * Delay after a commit, so that a page written several times is copied once. At 6,500 notifications
 * a second the log grows to 150 MB in this time.
 */
const EVERY_MS = 4_000;

/**
 * Starts a copy of the log into the store's file some time after a commit, one at a time. `copied`
 * is called when a copy ended: the writer may then restart the log. The thread starts with the first
 * copy.
 */
export class Checkpoints {
  readonly #path: string;
  readonly #copied: () => void;
  readonly #onLost: (error: Error) => void;
  #worker: Worker | null = null;
  #timer: NodeJS.Timeout | undefined;
  #copying = false;
  #dirty = false;
  #closing = false;

  constructor(
    options: CheckpointerOptions & { copied: () => void; onLost: (error: Error) => void },
  ) {
    this.#path = options.path;
    this.#copied = options.copied;
    this.#onLost = options.onLost;
  }

  /** Schedules a copy after a commit. */
  committed(): void {
    this.#dirty = true;
    if (this.#copying || this.#closing) return;
    this.#timer ??= setTimeout(() => this.#copy(), EVERY_MS);
  }

  async close(): Promise<void> {
    this.#closing = true;
    clearTimeout(this.#timer);
    await this.#worker?.terminate();
  }

  #copy(): void {
    this.#timer = undefined;
    this.#copying = true;
    this.#dirty = false;
    this.#worker ??= this.#started();
    this.#worker.postMessage('copy');
  }

  #started(): Worker {
    const workerData: CheckpointerOptions = { path: this.#path };
    const worker = new Worker(CHECKPOINTER, { workerData });
    worker.on('message', (said: 'copied' | 'not copied') => this.#done(said === 'copied'));
    const lose = (error: Error): void => {
      if (!this.#closing) this.#onLost(error);
    };
    worker.on('error', lose);
    worker.on('exit', (code) => lose(new Error(`the checkpointer ended with ${code}`)));
    return worker;
  }

  #done(wasCopied: boolean): void {
    this.#copying = false;
    if (this.#closing) return;
    if (wasCopied) this.#copied();
    if (this.#dirty || !wasCopied) this.committed();
  }
}
