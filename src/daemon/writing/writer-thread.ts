import type { Fact } from '../../domain/fact/fact.ts';
import { CommitQueue } from '../../intake/commit-queue.ts';
import type { CommitResult, Ledger } from '../../store/port.ts';
import { failureOf } from '../reading/thread-failure.ts';
import type { Answer, CommitObserved, FromWriter, ToWriter } from './messages.ts';

/** The store as the writer thread uses it. */
export interface WrittenStore extends Ledger {
  tidy(): void;
  close(): void | Promise<void>;
  /**
   * Why the store cannot write now; null when it can. `last`: why the last commit failed. Absent
   * with a shared journal: its role says so.
   */
  tryWrite?(last: string): string | null;
  /** Only with a shared journal. */
  begin?(): void;
  resign?(): Promise<void>;
}

/**
 * Handles the writer thread's messages. Facts go through one commit queue; each transaction takes
 * everything that arrived during the one before. The answers of a transaction return together.
 */
export class WriterThread {
  readonly #store: WrittenStore;
  readonly #clock: () => number;
  readonly #say: (message: FromWriter) => void;
  readonly #queue: CommitQueue;
  #ids: number[] = [];
  #answers: Answer[] = [];
  #commits: CommitObserved[] = [];

  constructor(options: {
    store: WrittenStore;
    /** Most facts of one transaction. */
    batchMax: number;
    /** Monotonic milliseconds, for durations only. */
    clock: () => number;
    say: (message: FromWriter) => void;
  }) {
    const { store, batchMax, clock, say } = options;
    this.#store = store;
    this.#clock = clock;
    this.#say = say;
    this.#queue = new CommitQueue({
      ledger: { commit: (facts) => this.#commit(facts) },
      batchMax,
      // The sender bounds the facts: it can refuse more while this thread is busy.
      queueMax: Infinity,
      tryWrite: store.tryWrite?.bind(store),
      onNews: (news) => say({ kind: 'news', news }),
      onFailure: (failure) => say({ kind: 'store', failure }),
    });
  }

  take(message: ToWriter): void {
    switch (message.kind) {
      case 'facts':
        for (const [index, fact] of message.facts.entries()) {
          void this.#submit(message.firstId + index, fact);
        }
        return;
      case 'tidy':
        this.#store.tidy();
        return;
      case 'begin':
        this.#store.begin?.();
        return;
      case 'resign':
        void this.#resign();
        return;
      case 'close':
        void this.#close();
        return;
      default:
        message satisfies never;
    }
  }

  async #submit(id: number, fact: Fact): Promise<void> {
    try {
      this.#answer(id, await this.#queue.submit(fact));
    } catch (error) {
      this.#answer(id, { kind: 'failed', failure: failureOf(error) });
    }
  }

  #answer(id: number, answer: Answer): void {
    // All answers of a transaction arrive in one turn, before the next transaction.
    if (this.#answers.length === 0) queueMicrotask(() => this.#flush());
    this.#ids.push(id);
    this.#answers.push(answer);
  }

  #flush(): void {
    const [ids, answers, commits] = [this.#ids, this.#answers, this.#commits];
    this.#say({ kind: 'answers', ids, answers, commits });
    this.#ids = [];
    this.#answers = [];
    this.#commits = [];
  }

  async #close(): Promise<void> {
    await this.#queue.close();
    await this.#store.close();
    this.#say({ kind: 'closed' });
  }

  async #resign(): Promise<void> {
    await this.#store.resign?.();
    this.#say({ kind: 'resigned' });
  }

  async #commit(facts: readonly Fact[]): Promise<CommitResult> {
    const started = this.#clock();
    const observe = (failed: boolean): void => {
      const durationMs = this.#clock() - started;
      this.#commits.push({ facts: facts.length, durationMs, failed });
    };
    try {
      const result = await this.#store.commit(facts);
      observe(result.kind !== 'committed');
      return result;
    } catch (error) {
      observe(true);
      throw error;
    }
  }
}
