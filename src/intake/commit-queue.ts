import type { FactOutcome, Ledger, Submission, Submitted } from '../store/port.ts';

/** Facts and time of one commit, for metrics. */
export interface CommitObserved {
  readonly facts: number;
  readonly durationMs: number;
  readonly waiting: number;
}

interface Waiting {
  readonly fact: Submission;
  readonly settle: (outcome: Submitted) => void;
  readonly fail: (error: unknown) => void;
}

/**
 * Facts of one producer in a commit: a notification that arrives meanwhile waits for it, and must be
 * answered within its sender's time, not behind the evidence for a hundred thousand deposits.
 */
const PORTION_MAX = 64;

/**
 * Group commit. Facts that arrive while a commit is under way wait and go together into the next
 * one: many facts, one transaction, one fsync, and nobody is answered before it. The queue is
 * bounded: a fact beyond `queueMax` is refused at once, so that the sender retries instead of
 * running into its own timeout.
 *
 * Modes: idle → scheduled (a turn of the event loop collects what arrives together) → committing →
 * scheduled while facts wait, else idle. Up to `inFlightMax` commits are under way at a time, so
 * that a ledger on a thread of its own finds the next when it has done one. `close` refuses new
 * facts and resolves when idle.
 */
export class CommitQueue {
  readonly #ledger: Ledger;
  readonly #batchMax: number;
  readonly #queueMax: number;
  readonly #inFlightMax: number;
  readonly #clock: () => number;
  readonly #observe: (commit: CommitObserved) => void;
  #waiting: Waiting[] = [];
  #scheduled = false;
  #inFlight = 0;
  #closed = false;
  #idle: (() => void)[] = [];
  #lastFailure: string | null = null;

  constructor(options: {
    ledger: Ledger;
    batchMax: number;
    queueMax: number;
    /** One, unless the ledger takes the next commit while it is at one. */
    inFlightMax?: number;
    /** Monotonic milliseconds, for durations only. */
    clock: () => number;
    observe: (commit: CommitObserved) => void;
  }) {
    this.#ledger = options.ledger;
    this.#batchMax = options.batchMax;
    this.#queueMax = options.queueMax;
    this.#inFlightMax = options.inFlightMax ?? 1;
    this.#clock = options.clock;
    this.#observe = options.observe;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Why the last commit kept nothing, or null when it was kept. */
  get lastFailure(): string | null {
    return this.#lastFailure;
  }

  /** Rejects only for bugs; the facts around the culprit are not affected. */
  submit(fact: Submission): Promise<Submitted> {
    if (this.#closed || this.#waiting.length >= this.#queueMax) {
      return Promise.resolve({ kind: 'busy' });
    }
    return new Promise((settle, fail) => {
      this.#waiting.push({ fact, settle, fail });
      this.#schedule();
    });
  }

  /** Submits many facts of one producer, a few at a time, so that others get their turn. */
  async submitAll(facts: readonly Submission[]): Promise<Submitted[]> {
    const outcomes: Submitted[] = [];
    const portion = Math.min(this.#batchMax, PORTION_MAX);
    for (let start = 0; start < facts.length; start += portion) {
      const batch = facts.slice(start, start + portion);
      outcomes.push(...(await Promise.all(batch.map((fact) => this.submit(fact)))));
    }
    return outcomes;
  }

  /** Refuses new facts from now on and resolves when the last waiting one has been committed. */
  close(): Promise<void> {
    this.#closed = true;
    if (this.#inFlight === 0 && this.#waiting.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  #schedule(): void {
    if (this.#scheduled || this.#inFlight >= this.#inFlightMax) return;
    this.#scheduled = true;
    // One turn of the event loop: sockets that are readable now join this batch.
    setImmediate(() => void this.#run());
  }

  async #run(): Promise<void> {
    this.#scheduled = false;
    const batch = this.#waiting.splice(0, this.#batchMax);
    this.#inFlight += 1;
    if (this.#waiting.length > 0) this.#schedule();
    await this.#commit(batch);
    this.#inFlight -= 1;
    if (this.#waiting.length > 0) {
      this.#schedule();
      return;
    }
    if (this.#inFlight > 0 || this.#scheduled) return;
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  async #commit(batch: readonly Waiting[]): Promise<void> {
    const started = this.#clock();
    try {
      const result = await this.#ledger.commit(batch.map((one) => one.fact));
      this.#lastFailure = result.kind === 'unavailable' ? result.cause : null;
      for (const [index, one] of batch.entries()) {
        one.settle(result.kind === 'unavailable' ? result : outcomeAt(result.outcomes, index));
      }
    } catch (error) {
      await this.#isolate(batch, error);
    }
    const durationMs = this.#clock() - started;
    this.#observe({ facts: batch.length, durationMs, waiting: this.#waiting.length });
  }

  /** A bug that one fact trips must not take the others with it: each is committed alone. */
  async #isolate(batch: readonly Waiting[], error: unknown): Promise<void> {
    const [only] = batch;
    if (only !== undefined && batch.length === 1) {
      await this.#setAside(only, error);
      return;
    }
    for (const one of batch) await this.#commit([one]);
  }

  /** A delivery that even alone cannot be booked is kept in quarantine: no poison, no loss. */
  async #setAside(one: Waiting, error: unknown): Promise<void> {
    if (one.fact.kind !== 'delivery') {
      one.fail(error);
      return;
    }
    const defect = `it could not be booked: ${error instanceof Error ? error.message : String(error)}`;
    try {
      const result = await this.#ledger.commit([{ ...one.fact, defect }]);
      one.settle(result.kind === 'unavailable' ? result : outcomeAt(result.outcomes, 0));
    } catch (second) {
      one.fail(second);
    }
  }
}

function outcomeAt(outcomes: readonly FactOutcome[], index: number): FactOutcome {
  const outcome = outcomes[index];
  if (outcome === undefined) throw new Error('a commit answered fewer facts than it was given');
  return outcome;
}
