import type { Fact } from '../domain/fact/fact.ts';
import type { CommitNews } from '../store/commit-news.ts';
import type { Ledger, Submitted } from '../store/port.ts';
import type { FactQueue } from './fact-queue.ts';

interface QueuedFact {
  readonly fact: Fact;
  readonly resolve: (outcome: Submitted) => void;
  readonly reject: (error: unknown) => void;
}

/** Pause between two tries of a store that could not write. */
const TRY_AGAIN_MS = 1_000;

/**
 * Group commit. Facts that arrive together, or during a commit, share the next commit: one
 * transaction and one fsync for many facts. Facts are answered only after that fsync.
 *
 * Modes: idle → scheduled (one turn of the event loop collects facts that arrive together) →
 * committing → scheduled while facts wait, else idle. `close` refuses new facts and resolves when
 * all facts are answered.
 *
 * After a failed commit it tries the store until a write succeeds: proxies send no deliveries to a
 * daemon that is not ready, so the next commit can be a minute away.
 */
export class CommitQueue implements FactQueue {
  readonly #ledger: Ledger;
  readonly #batchMax: number;
  readonly #queueMax: number;
  readonly #tryWrite: ((last: string) => string | null) | undefined;
  readonly #onFailure: (cause: string | null) => void;
  readonly #onNews: (news: CommitNews) => void;
  readonly #queued: QueuedFact[] = [];
  #committing = 0;
  #scheduled = false;
  #closed = false;
  #idle: (() => void)[] = [];
  #lastFailure: string | null = null;
  #tryAgain: NodeJS.Timeout | undefined;

  constructor(options: {
    ledger: Ledger;
    /** Most facts of one transaction. */
    batchMax: number;
    /** Most unanswered facts. */
    queueMax: number;
    /** Why the store cannot write now; null when it can. `last`: the last failure. */
    tryWrite?: ((last: string) => string | null) | undefined;
    /** Called with the cause when commits begin to fail, and with null when they succeed again. */
    onFailure?: (cause: string | null) => void;
    /** Called after each commit that changed something that the verifier waits for. */
    onNews?: (news: CommitNews) => void;
  }) {
    this.#ledger = options.ledger;
    this.#batchMax = options.batchMax;
    this.#queueMax = options.queueMax;
    this.#tryWrite = options.tryWrite;
    this.#onFailure = options.onFailure ?? (() => undefined);
    this.#onNews = options.onNews ?? (() => undefined);
  }

  get queued(): number {
    return this.#queued.length + this.#committing;
  }

  get lastFailure(): string | null {
    return this.#lastFailure;
  }

  submit(fact: Fact): Promise<Submitted> {
    if (this.#closed || this.queued >= this.#queueMax) return Promise.resolve({ kind: 'busy' });
    return new Promise((resolve, reject) => {
      this.#queued.push({ fact, resolve, reject });
      this.#schedule();
    });
  }

  close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#tryAgain);
    if (this.queued === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  #schedule(): void {
    if (this.#scheduled || this.#committing > 0 || this.#queued.length === 0) return;
    this.#scheduled = true;
    // Wait one turn of the event loop: facts that can be read now join this commit.
    setImmediate(() => void this.#run());
  }

  async #run(): Promise<void> {
    this.#scheduled = false;
    const batch = this.#queued.splice(0, this.#batchMax);
    this.#committing = batch.length;
    await this.#commit(batch);
    this.#committing = 0;
    this.#schedule();
    if (this.queued > 0) return;
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** `isAgain`: after a commit that failed by a bug. A shared journal may have kept the facts. */
  async #commit(batch: readonly QueuedFact[], isAgain = false): Promise<void> {
    try {
      const outcomes = await this.#commitFacts(batch.map(({ fact }) => fact));
      resolveAll(batch, isAgain ? outcomes.map(uncertain) : outcomes);
    } catch (error) {
      await this.#isolate(batch, error);
    }
  }

  /** The outcome of each fact; the same for all when the commit failed. */
  async #commitFacts(facts: readonly Fact[]): Promise<readonly Submitted[]> {
    const result = await this.#ledger.commit(facts);
    this.#reportFailure(result.kind === 'unavailable' ? result.cause : null);
    if (result.kind === 'unavailable') return facts.map(() => result);
    if (result.news !== undefined) this.#onNews(result.news);
    return result.outcomes;
  }

  /** Reports the first failure and the first success after it, not each commit in between. */
  #reportFailure(failure: string | null): void {
    const isNews = (failure === null) !== (this.#lastFailure === null);
    this.#lastFailure = failure;
    if (isNews) this.#onFailure(failure);
    clearTimeout(this.#tryAgain);
    const tryWrite = this.#tryWrite;
    if (failure === null || this.#closed || tryWrite === undefined) return;
    this.#tryAgain = setTimeout(() => this.#reportFailure(tryWrite(failure)), TRY_AGAIN_MS);
  }

  /**
   * Commits each half of a failed batch by itself, so that a bug triggered by one fact does not
   * affect the others.
   */
  async #isolate(batch: readonly QueuedFact[], error: unknown): Promise<void> {
    const [only] = batch;
    if (only !== undefined && batch.length === 1) return this.#quarantine(only, error);
    const middle = Math.ceil(batch.length / 2);
    await this.#commit(batch.slice(0, middle), true);
    await this.#commit(batch.slice(middle), true);
  }

  /**
   * Quarantines a notification that cannot be booked even alone: it neither blocks the queue nor
   * gets lost.
   */
  async #quarantine(one: QueuedFact, error: unknown): Promise<void> {
    const { fact } = one;
    if (fact.kind !== 'notification') return one.reject(error);
    const { at, raw, notification } = fact;
    const defect = `it could not be booked: ${error instanceof Error ? error.message : String(error)}`;
    try {
      const quarantined = { kind: 'quarantined', at, raw, id: notification.id, defect } as const;
      resolveAll([one], await this.#commitFacts([quarantined]));
    } catch (second) {
      one.reject(second);
    }
  }
}

function resolveAll(batch: readonly QueuedFact[], outcomes: readonly Submitted[]): void {
  for (const [index, one] of batch.entries()) one.resolve(outcomeAt(outcomes, index));
}

function uncertain(outcome: Submitted): Submitted {
  return outcome.kind === 'unavailable' ? { ...outcome, effect: 'unknown' } : outcome;
}

function outcomeAt(outcomes: readonly Submitted[], index: number): Submitted {
  const outcome = outcomes[index];
  if (outcome === undefined) throw new Error('a commit answered fewer facts than it was given');
  return outcome;
}
