import type { Ledger } from '../../../store/port.ts';
import { Committer } from './committer.ts';
import { Inbox, type Work } from './inbox.ts';
import type { FromWriter, ToWriter } from './messages.ts';

/** The store, as the writer has it. */
export interface WrittenStore extends Ledger {
  tidy(): void;
  close(): void;
}

/**
 * Does what the writer is told, in the order in which it is told.
 *
 * Modes: idle → working, while something is in the inbox. Between two pieces of work a turn of the
 * event loop takes in all that has arrived: it goes together into the next transaction.
 */
export class Desk {
  readonly #store: WrittenStore;
  readonly #say: (message: FromWriter) => void;
  readonly #inbox: Inbox;
  readonly #committer: Committer;
  #working = false;

  constructor(options: {
    store: WrittenStore;
    /** Most facts of one transaction. */
    batchMax: number;
    /** Monotonic milliseconds, for durations only. */
    clock: () => number;
    say: (message: FromWriter) => void;
  }) {
    const { store, clock, say } = options;
    this.#store = store;
    this.#say = say;
    this.#inbox = new Inbox(options.batchMax);
    this.#committer = new Committer({ ledger: store, clock, say });
  }

  take(message: ToWriter): void {
    this.#inbox.put(message);
    if (this.#working) return;
    this.#working = true;
    setImmediate(() => void this.#turn());
  }

  async #turn(): Promise<void> {
    const work = this.#inbox.take();
    this.#working = work !== undefined;
    if (work === undefined) return;
    await this.#workOn(work);
    setImmediate(() => void this.#turn());
  }

  async #workOn(work: Work): Promise<void> {
    switch (work.kind) {
      case 'commit':
        await this.#committer.commit(work.batches);
        return;
      case 'tidy':
        this.#store.tidy();
        return;
      case 'close':
        this.#store.close();
        this.#say({ kind: 'closed' });
        return;
      default:
        work satisfies never;
    }
  }
}
