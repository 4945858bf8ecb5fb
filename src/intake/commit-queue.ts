import { SHORT_BYTES } from './body-room.ts';
import type { CommitNews } from '../store/commit-news.ts';
import type { CommitResult, FactOutcome, Ledger, Submission, Submitted } from '../store/port.ts';

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
 * While the ledger is at many others, facts are handed over by so many: each message has its price,
 * and what is left over goes when one of them has ended. While it is at few it soon wants more.
 */
const HANDFUL = 16;
const FEW = 64;

/**
 * A body longer than nearly all (they have one or two thousand bytes) may take long to book, a hundred times as
 * long as others: who sends many at once would make everybody wait for all of them. So many bytes of
 * such bodies are handed over at a time, or one of them, and what is short passes the others.
 */
const LONG_UNDER_WAY_BYTES = 65_536;

/** How many bytes a fact counts for among the long ones; none where it is short. */
function longBytes({ fact }: Waiting): number {
  const bytes = 'raw' in fact ? fact.raw.length : 0;
  return bytes > SHORT_BYTES ? bytes : 0;
}

/**
 * Group commit. Facts that arrive together, or while a commit is under way, share the next one:
 * many facts, one transaction, one fsync, and nobody is answered before it. The queue is bounded: a
 * fact beyond `queueMax` is refused at once, so that the sender retries instead of running into its
 * own timeout. Long bodies wait in a line of their own, from which they join the others; a sender that
 * wants two deliveries in order waits for the answer to the first, as the custody service does per vault.
 *
 * Modes: idle → scheduled (a turn of the event loop collects what arrives together) → handing over →
 * scheduled while facts wait and there is room at the ledger, else idle. A ledger that commits what
 * has reached it meanwhile as one has room for `underWayMax` facts; any other is given a batch when
 * it has done the last. `close` refuses new facts and resolves when everything is answered.
 */
export class CommitQueue {
  readonly #ledger: Ledger;
  readonly #batchMax: number;
  readonly #queueMax: number;
  readonly #underWayMax: number;
  #waiting: Waiting[] = [];
  readonly #long: Waiting[] = [];
  /** Bytes of long bodies that have joined the others and are not answered. */
  #longBytes = 0;
  #scheduled = false;
  /** Facts that were handed over and are not answered. */
  #underWay = 0;
  /** Whether something was answered since facts were handed over. */
  #hasEnded = false;
  #closed = false;
  #idle: (() => void)[] = [];
  #lastFailure: string | null = null;
  readonly #onFailure: (cause: string | null) => void;
  readonly #onNews: (news: CommitNews) => void;

  constructor(options: {
    ledger: Ledger;
    /** Most facts handed over together. */
    batchMax: number;
    /** Most facts that may be without an answer. */
    queueMax: number;
    /** One batch at a time, unless the ledger takes facts while it is at others. */
    underWayMax?: number;
    /** Told when commits begin to be kept by nobody, and why, and with null when they are kept again. */
    onFailure?: (cause: string | null) => void;
    /** Told after each commit that changed what the verifier waits for. */
    onNews?: (news: CommitNews) => void;
  }) {
    this.#ledger = options.ledger;
    this.#batchMax = options.batchMax;
    this.#queueMax = options.queueMax;
    this.#underWayMax = options.underWayMax ?? 0;
    this.#onFailure = options.onFailure ?? (() => undefined);
    this.#onNews = options.onNews ?? (() => undefined);
  }

  /** Facts that wait for the end of their commit, which may be under way. */
  get waiting(): number {
    return this.#waiting.length + this.#long.length + this.#underWay;
  }

  /** Why the last commit kept nothing, or null when it was kept. */
  get lastFailure(): string | null {
    return this.#lastFailure;
  }

  /** Rejects only for bugs; the facts around the culprit are not affected. */
  submit(fact: Submission): Promise<Submitted> {
    if (this.#closed || this.waiting >= this.#queueMax) {
      return Promise.resolve({ kind: 'busy' });
    }
    return new Promise((settle, fail) => {
      const one = { fact, settle, fail };
      (longBytes(one) > 0 ? this.#long : this.#waiting).push(one);
      this.#admit();
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
    if (this.waiting === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  /** Lets long bodies join the others while there is room for them. */
  #admit(): void {
    for (let next = this.#long[0]; next !== undefined; next = this.#long[0]) {
      const bytes = longBytes(next);
      if (this.#longBytes > 0 && this.#longBytes + bytes > LONG_UNDER_WAY_BYTES) return;
      this.#longBytes += bytes;
      this.#waiting.push(next);
      this.#long.shift();
    }
  }

  #schedule(): void {
    if (this.#scheduled || this.#next() === 0) return;
    this.#scheduled = true;
    // One turn of the event loop: sockets that are readable now join this batch.
    setImmediate(() => void this.#run());
  }

  /** How many are to be handed over now. A backlog goes by full batches, and not in crumbs. */
  #next(): number {
    const next = Math.min(this.#waiting.length, this.#batchMax);
    if (this.#underWay < FEW || this.#hasEnded || next === this.#batchMax) {
      return this.#roomFor(next);
    }
    return this.#roomFor(next - (next % HANDFUL));
  }

  /** All of these, or none while there is no room for them. */
  #roomFor(facts: number): number {
    const hasRoom = this.#underWay === 0 || this.#underWay + facts <= this.#underWayMax;
    return hasRoom ? facts : 0;
  }

  async #run(): Promise<void> {
    this.#scheduled = false;
    const batch = this.#waiting.splice(0, this.#next());
    // More may have arrived in this turn than there is room for.
    if (batch.length === 0) return;
    this.#underWay += batch.length;
    this.#hasEnded = false;
    this.#schedule();
    await this.#commit(batch);
    this.#underWay -= batch.length;
    for (const one of batch) this.#longBytes -= longBytes(one);
    this.#admit();
    this.#hasEnded = true;
    this.#schedule();
    if (this.waiting > 0) return;
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  async #commit(batch: readonly Waiting[]): Promise<void> {
    try {
      const result = await this.#ledger.commit(batch.map((one) => one.fact));
      this.#ended(result.kind === 'unavailable' ? result.cause : null);
      for (const [index, one] of batch.entries()) {
        one.settle(result.kind === 'unavailable' ? result : outcomeAt(result.outcomes, index));
      }
      this.#tell(result);
    } catch (error) {
      await this.#isolate(batch, error);
    }
  }

  #tell(result: CommitResult): void {
    if (result.kind === 'committed' && result.news !== undefined) this.#onNews(result.news);
  }

  /** Told once when it begins and once when it is over, not with each commit in between. */
  #ended(failure: string | null): void {
    const isNews = (failure === null) !== (this.#lastFailure === null);
    this.#lastFailure = failure;
    if (isNews) this.#onFailure(failure);
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
      this.#tell(result);
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
