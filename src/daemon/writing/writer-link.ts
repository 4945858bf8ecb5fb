import { Worker } from 'node:worker_threads';
import type { Fact } from '../../domain/fact/fact.ts';
import type { FactQueue } from '../../intake/fact-queue.ts';
import type { CommitNews } from '../../store/commit-news.ts';
import type { Submitted } from '../../store/port.ts';
import type { JournalState } from '../../store/replicated/journal-state.ts';
import type { Role } from '../../store/replicated/role.ts';
import { StoreRefused } from '../../store/refusal.ts';
import { FailedInThread } from '../reading/thread-failure.ts';
import { Checkpoints } from './checkpoints.ts';
import { forTransfer } from './fact-transfer.ts';
import type { Answers, CommitObserved, FromWriter, ToWriter, WriterOptions } from './messages.ts';

/** The built file: Node does not run the sources. */
const WRITER = new URL('./writer.js', import.meta.url);

/**
 * Young generation of the thread's heap: three spaces of 8 MiB hold a batch's objects and fit the
 * processor's cache.
 */
const YOUNG_GENERATION_MB = 24;

/**
 * The answer when it is unknown whether a fact was committed. The sender delivers again, and a
 * committed fact is recognised.
 */
const ENDED: Submitted = {
  kind: 'unavailable',
  effect: 'unknown',
  cause: "the writer's thread has ended",
};

interface PendingFact {
  /** The fact's kind; of a decision or a custody record its own kind. */
  readonly kind: string;
  readonly resolve: (outcome: Submitted) => void;
  readonly reject: (error: Error) => void;
}

interface LinkOptions extends WriterOptions {
  /** Most unanswered facts. */
  readonly queueMax: number;
  readonly onLost: (error: Error) => void;
}

/** Receives the writer's events. */
export interface WriterObserver {
  /** Called after every transaction, before its facts are answered. */
  commit(commit: CommitObserved): void;
  /** Called with the kinds of the facts that the store took, before they are answered. */
  taken(kinds: ReadonlySet<string>): void;
  /** Called after a commit that changed something that the verifier waits for. */
  news(news: CommitNews): void;
  /** Called with the cause when commits begin to fail, and with null when they succeed again. */
  store(failure: string | null): void;
  /** Called when this receiver's role changes; only with a shared journal. */
  role(role: Role): void;
  /** Called with the replica's last journal position when it has grown; only with a shared journal. */
  applied(position: number): void;
  /** Called with the state of the shared journal's servers; null when it failed. */
  journal(state: JournalState | null): void;
}

function kindOf(fact: Fact): string {
  if (fact.kind === 'decision') return fact.decision.kind;
  return fact.kind === 'custody-record' ? fact.record.kind : fact.kind;
}

/**
 * The main thread's link to the writer thread. Rules, writes and fsync run there and never block
 * HTTP. Facts of one turn of the event loop cross in one message; the writer's queue groups them
 * into transactions.
 *
 * Modes: open → closing (`end`) → ended, or open → lost when the thread stops unexpectedly: then
 * all pending and later facts are `unavailable`.
 */
export class WriterLink implements FactQueue {
  readonly #worker: Worker;
  readonly #checkpoints: Checkpoints;
  readonly #queueMax: number;
  readonly #onLost: (error: Error) => void;
  /** Unanswered facts by number. */
  readonly #pending = new Map<number, PendingFact>();
  #outbox: Fact[] = [];
  #lastId = 0;
  #mode: 'open' | 'closing' | 'lost' = 'open';
  #isDraining = false;
  #idle: (() => void)[] = [];
  #lastFailure: string | null = null;
  #observer: WriterObserver | undefined;
  #ended: () => void = () => undefined;
  #resigned: () => void = () => undefined;

  private constructor(worker: Worker, options: LinkOptions) {
    this.#worker = worker;
    this.#queueMax = options.queueMax;
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

  /** Opens a store for writing; creates the tables of a new file. Rejects with `StoreRefused`. */
  static async open(options: LinkOptions): Promise<WriterLink> {
    const { path, batchMax, shared } = options;
    const worker = new Worker(WRITER, {
      workerData: { path, batchMax, shared } satisfies WriterOptions,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    const first = await new Promise<FromWriter>((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
    });
    if (first.kind === 'open') return new WriterLink(worker, options);
    await worker.terminate();
    const failure = first.kind === 'refused' ? first.failure : undefined;
    if (failure?.name === 'StoreRefused') throw new StoreRefused(failure.message);
    throw failure === undefined
      ? new Error('the writer did not open')
      : new FailedInThread(failure);
  }

  get queued(): number {
    return this.#pending.size;
  }

  get lastFailure(): string | null {
    return this.#lastFailure;
  }

  observe(observer: WriterObserver): void {
    this.#observer = observer;
  }

  /** Begins to follow the shared journal, and to own it while nobody else does. */
  begin(): void {
    this.#say({ kind: 'begin' });
  }

  /** Ends this receiver's ownership of the shared journal, so that another takes over at once. */
  resign(): Promise<void> {
    if (this.#mode !== 'open') return Promise.resolve();
    return new Promise((resolve) => {
      this.#resigned = resolve;
      this.#say({ kind: 'resign' });
    });
  }

  submit(fact: Fact): Promise<Submitted> {
    if (this.#mode !== 'open') return Promise.resolve(ENDED);
    if (this.#isDraining || this.#pending.size >= this.#queueMax) {
      return Promise.resolve({ kind: 'busy' });
    }
    return new Promise((resolve, reject) => {
      this.#lastId += 1;
      this.#pending.set(this.#lastId, { kind: kindOf(fact), resolve, reject });
      // Wait one turn of the event loop: facts that can be read now cross together.
      if (this.#outbox.length === 0) setImmediate(() => this.#post());
      this.#outbox.push(fact);
    });
  }

  close(): Promise<void> {
    this.#isDraining = true;
    if (this.#pending.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  /** Closes the store after all submitted facts are committed, and ends the thread. */
  async end(): Promise<void> {
    await this.close();
    await this.#checkpoints.close();
    if (this.#mode !== 'open') return;
    this.#mode = 'closing';
    await new Promise<void>((resolve) => {
      this.#ended = resolve;
      this.#say({ kind: 'close' });
    });
    await this.#worker.terminate();
  }

  #post(): void {
    const firstId = this.#lastId - this.#outbox.length + 1;
    const { facts, transfer } = forTransfer(this.#outbox);
    this.#outbox = [];
    this.#worker.postMessage({ kind: 'facts', firstId, facts } satisfies ToWriter, transfer);
  }

  #say(message: ToWriter): void {
    this.#worker.postMessage(message);
  }

  #take(message: FromWriter): void {
    switch (message.kind) {
      case 'answers':
        this.#checkpoints.committed();
        for (const commit of message.commits) this.#observer?.commit(commit);
        this.#observer?.taken(this.#takenKinds(message));
        this.#answer(message);
        return;
      case 'news':
        this.#observer?.news(message.news);
        return;
      case 'store':
        this.#lastFailure = message.failure;
        this.#observer?.store(message.failure);
        return;
      case 'role':
        this.#observer?.role(message.role);
        return;
      case 'applied':
        this.#checkpoints.committed();
        this.#observer?.applied(message.position);
        return;
      case 'journal':
        this.#observer?.journal(message.state);
        return;
      case 'resigned':
        this.#resigned();
        return;
      case 'closed':
        this.#ended();
        return;
      case 'open':
      case 'refused':
        return;
      default:
        message satisfies never;
    }
  }

  #takenKinds({ ids, answers }: Answers): ReadonlySet<string> {
    const kinds = new Set<string>();
    for (const [index, { kind }] of answers.entries()) {
      if (kind !== 'taken' && kind !== 'delivery') continue;
      const pending = this.#pending.get(ids[index] ?? 0);
      if (pending !== undefined) kinds.add(pending.kind);
    }
    return kinds;
  }

  #answer({ ids, answers }: Answers): void {
    for (const [index, answer] of answers.entries()) {
      const id = ids[index] ?? 0;
      const pending = this.#pending.get(id);
      this.#pending.delete(id);
      if (answer.kind === 'failed') pending?.reject(new FailedInThread(answer.failure));
      else pending?.resolve(answer);
    }
    this.#rest();
  }

  #rest(): void {
    if (this.#pending.size > 0) return;
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  #lose(error: Error): void {
    if (this.#mode === 'lost') return;
    const wasOpen = this.#mode === 'open';
    this.#mode = 'lost';
    for (const { resolve } of this.#pending.values()) resolve(ENDED);
    this.#pending.clear();
    this.#rest();
    this.#resigned();
    // The next start recovers a store that was not closed cleanly.
    this.#ended();
    if (wasOpen) this.#onLost(error);
  }
}
