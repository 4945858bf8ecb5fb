import { Worker } from 'node:worker_threads';
import type { CheckpointerOptions } from './messages.ts';

/** The built program's file; the sources are not run by Node as they are. */
const CHECKPOINTER = new URL('./checkpointer.js', import.meta.url);

/** How long commits gather in the log before they are copied: pages written again are copied once. */
const EVERY_MS = 1_000;

/**
 * Has the log copied into the store's file some time after a commit, one copy at a time. `copied`:
 * a copy has ended, and the writer may let the log begin anew.
 */
export class Checkpoints {
  readonly #worker: Worker;
  readonly #copied: () => void;
  #timer: NodeJS.Timeout | undefined;
  #copying = false;
  #dirty = false;
  #closing = false;

  constructor(
    options: CheckpointerOptions & { copied: () => void; onLost: (error: Error) => void },
  ) {
    const { path, onLost } = options;
    this.#copied = options.copied;
    this.#worker = new Worker(CHECKPOINTER, { workerData: { path } satisfies CheckpointerOptions });
    this.#worker.on('message', (said: 'copied' | 'not copied') => this.#done(said === 'copied'));
    const lose = (error: Error): void => {
      if (!this.#closing) onLost(error);
    };
    this.#worker.on('error', lose);
    this.#worker.on('exit', (code) => lose(new Error(`the checkpointer ended with ${code}`)));
  }

  /** Something was committed. */
  committed(): void {
    this.#dirty = true;
    if (this.#copying || this.#closing) return;
    this.#timer ??= setTimeout(() => this.#copy(), EVERY_MS);
  }

  async close(): Promise<void> {
    this.#closing = true;
    clearTimeout(this.#timer);
    await this.#worker.terminate();
  }

  #copy(): void {
    this.#timer = undefined;
    this.#copying = true;
    this.#dirty = false;
    this.#worker.postMessage('copy');
  }

  #done(wasCopied: boolean): void {
    this.#copying = false;
    if (this.#closing) return;
    if (wasCopied) this.#copied();
    if (this.#dirty || !wasCopied) this.committed();
  }
}
