import { Worker } from 'node:worker_threads';
import type { CommitResult, Ledger, Submission } from '../../../store/port.ts';
import { skim } from '../../../intake/decode.ts';
import type { KeysRead } from '../../../store/sqlite/key-index.ts';
import { StoreRefused } from '../../../store/sqlite/refusal.ts';
import { FailedInThread } from '../reading/failure.ts';
import { outcomesByBatch, packed, transferred } from './batch.ts';
import { Checkpoints } from './checkpoints.ts';
import { commitObserved, type CommitObserved } from './commit-observed.ts';
import type { FromWriter, ToWriter, Transaction, WriterOptions } from './messages.ts';

/** The built program's file; the sources are not run by Node as they are. */
const WRITER = new URL('./writer.js', import.meta.url);

/** Room for the objects of a batch that the processor's cache holds: three spaces of 8 MiB. */
const YOUNG_GENERATION_MB = 24;

/**
 * What is said of a batch when nobody knows whether it was committed: its senders deliver again, and
 * what was committed is recognised.
 */
const ENDED: CommitResult = { kind: 'unavailable', cause: "the writer's thread has ended" };

interface Waiting {
  readonly resolve: (result: CommitResult) => void;
  readonly reject: (error: Error) => void;
}

/**
 * The one writer of a store, on a thread of its own: reading a body, deciding, writing and the wait
 * for the disk leave the thread that talks HTTP alone. Batches are committed in the order in which
 * they were given; those that arrive while the writer is at a transaction go together into its next.
 *
 * Modes: open → closing (`close`) → ended, or open → lost, when the thread ends by itself: what
 * waits for an answer is `unavailable` then, and so is every later commit.
 */
export class ThreadedLedger implements Ledger {
  readonly #worker: Worker;
  readonly #checkpoints: Checkpoints;
  /** By number of the batch. */
  readonly #waiting = new Map<number, Waiting>();
  readonly #onLost: (error: Error) => void;
  #observe: (commit: CommitObserved) => void = () => undefined;
  #lastId = 0;
  #mode: 'open' | 'closing' | 'lost' = 'open';
  #closed: () => void = () => undefined;

  private constructor(worker: Worker, options: WriterOptions & { onLost: (error: Error) => void }) {
    this.#worker = worker;
    this.#onLost = options.onLost;
    this.#checkpoints = new Checkpoints({
      path: options.path,
      copied: () => this.#say({ kind: 'tidy' }),
      onLost: options.onLost,
    });
    worker.on('message', (message: FromWriter) => this.#take(message));
    worker.on('messageerror', (error) => this.#lose(error));
    worker.on('error', (error) => this.#lose(error));
    worker.on('exit', (code) => this.#lose(new Error(`the writer's thread ended with ${code}`)));
  }

  /**
   * Opens a store for writing, making its tables in a new file. Rejects with `StoreRefused`.
   * `onOpening`: told every few seconds while a large one is opened.
   */
  static async open(
    options: WriterOptions & {
      readonly onLost: (error: Error) => void;
      readonly onOpening: KeysRead;
    },
  ): Promise<ThreadedLedger> {
    const { path, batchMax, onOpening } = options;
    const worker = new Worker(WRITER, {
      workerData: { path, batchMax } satisfies WriterOptions,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    const first = await new Promise<FromWriter>((resolve, reject) => {
      const take = (message: FromWriter): void => {
        if (message.kind === 'opening') return onOpening(message.space, message.part);
        worker.off('message', take);
        resolve(message);
      };
      worker.on('message', take);
      worker.once('error', reject);
    });
    if (first.kind === 'open') return new ThreadedLedger(worker, options);
    await worker.terminate();
    const failure = first.kind === 'refused' ? first.failure : undefined;
    if (failure?.name === 'StoreRefused') throw new StoreRefused(failure.message);
    throw failure === undefined
      ? new Error('the writer did not open')
      : new FailedInThread(failure);
  }

  commit(submissions: readonly Submission[]): Promise<CommitResult> {
    if (this.#mode !== 'open') return Promise.resolve(ENDED);
    this.#lastId += 1;
    const batch = packed(this.#lastId, submissions, skim);
    this.#checkpoints.committed();
    return new Promise((resolve, reject) => {
      this.#waiting.set(batch.id, { resolve, reject });
      this.#worker.postMessage({ kind: 'commit', batch } satisfies ToWriter, transferred(batch));
    });
  }

  /** Who is told of every transaction from now on, before those who wait for it. */
  observe(observe: (commit: CommitObserved) => void): void {
    this.#observe = observe;
  }

  /** Closes the store after what was given has been committed. */
  async close(): Promise<void> {
    await this.#checkpoints.close();
    if (this.#mode !== 'open') return;
    this.#mode = 'closing';
    await new Promise<void>((resolve) => {
      this.#closed = resolve;
      this.#say({ kind: 'close' });
    });
    await this.#worker.terminate();
  }

  #say(message: ToWriter): void {
    this.#worker.postMessage(message);
  }

  #take(message: FromWriter): void {
    const observed = commitObserved(message);
    if (observed !== null) this.#observe(observed);
    switch (message.kind) {
      case 'committed':
      case 'unavailable':
      case 'failed':
        this.#answer(message);
        return;
      case 'closed':
        this.#closed();
        return;
      case 'parted':
      case 'opening':
      case 'open':
      case 'refused':
        return;
      default:
        message satisfies never;
    }
  }

  #answer(message: Extract<FromWriter, Transaction>): void {
    const { kind, parts } = message;
    switch (kind) {
      case 'committed':
        for (const { id, outcomes } of outcomesByBatch(message)) {
          // The news of a transaction goes with its first batch, so that it is told once.
          const news = id === parts[0]?.id ? message.news : undefined;
          this.#settle(id)?.resolve({ kind, outcomes, news });
        }
        return;
      case 'unavailable':
        for (const { id } of parts) this.#settle(id)?.resolve({ kind, cause: message.cause });
        return;
      case 'failed':
        for (const { id } of parts) this.#settle(id)?.reject(new FailedInThread(message.failure));
        return;
      default:
        kind satisfies never;
    }
  }

  #settle(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }

  #lose(error: Error): void {
    if (this.#mode === 'lost') return;
    const wasOpen = this.#mode === 'open';
    this.#mode = 'lost';
    for (const { resolve } of this.#waiting.values()) resolve(ENDED);
    this.#waiting.clear();
    // A store that does not close cleanly is opened from its log the next time.
    this.#closed();
    if (wasOpen) this.#onLost(error);
  }
}
