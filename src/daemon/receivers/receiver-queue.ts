import type { Fact } from '../../domain/fact/fact.ts';
import type { FactQueue } from '../../intake/fact-queue.ts';
import type { Submitted } from '../../store/port.ts';
import type { Owner } from '../../store/replicated/shared-journal.ts';
import { HandOver, type HandedFact } from './hand-over.ts';
import type { Handed } from './owner-client.ts';
import type { ReplicaPosition } from './replica-position.ts';
import type { FactRoute } from './fact-route.ts';

/** How long a fact waits for an owner. A webhook's sender gives up after 10 s. */
const HOLD_MS_MAX = 6_000;
/** The same once this receiver stops. Another one takes over within some 0.3 s. */
const STOPPING_HOLD_MS_MAX = 1_000;
/** Pause before a fact is tried again under the same route. */
const AGAIN_MS = 100;
/** How long a caller waits until this replica shows what the owner has kept. */
const APPLIED_MS_MAX = 5_000;

const NOT_SHOWN: Submitted = {
  kind: 'unavailable',
  cause: 'the owner has recorded it, and this replica does not show it yet',
};

export interface ReceiverQueueOptions {
  /** This receiver's own writer. */
  readonly local: Pick<FactQueue, 'submit'>;
  readonly hand: (owner: Owner, facts: readonly Fact[]) => Promise<Handed>;
  readonly applied: ReplicaPosition;
  /** Most unanswered facts. */
  readonly queueMax: number;
  /** Called with the number of facts that an owner answered, and of those that nobody kept. */
  readonly observe: (result: 'forwarded' | 'refused') => void;
  /** How long a fact waits for an owner, milliseconds. */
  readonly holdMsMax?: number;
  /** How long a caller waits until this replica shows what the owner has kept, milliseconds. */
  readonly appliedMsMax?: number;
}

/** What one attempt brought. `again`: nothing was kept, or it may be repeated without harm. */
type Attempt =
  | { readonly kind: 'done'; readonly outcome: Submitted }
  | { readonly kind: 'again'; readonly cause: string };

/**
 * Takes facts of everybody and brings each to the owner: to this receiver's own writer, or over HTTP.
 * While the owner changes, facts wait; so an orderly hand-over refuses no delivery. A fact that may
 * have been kept is repeated only if the books recognise a repeat.
 */
export class ReceiverQueue implements FactQueue {
  readonly #options: ReceiverQueueOptions;
  readonly #holdMsMax: number;
  readonly #appliedMsMax: number;
  #route: FactRoute = { kind: 'waiting', cause: 'this receiver has just started' };
  #handOver: HandOver | null = null;
  #changed: (() => void)[] = [];
  /** Recognised facts whose answer may be left behind when another owner takes facts. */
  readonly #handed = new Set<() => void>();
  #waiting = 0;
  /** Facts that found no owner are refused afterwards, on `performance.now()`. */
  #holdsUntil = Infinity;
  #isClosed = false;
  #idle: (() => void)[] = [];
  #lastFailure: string | null = null;

  constructor(options: ReceiverQueueOptions) {
    this.#options = options;
    this.#holdMsMax = options.holdMsMax ?? HOLD_MS_MAX;
    this.#appliedMsMax = options.appliedMsMax ?? APPLIED_MS_MAX;
  }

  get waiting(): number {
    return this.#waiting;
  }

  get lastFailure(): string | null {
    return this.#lastFailure;
  }

  /**
   * Facts that wait take the new way at once. So do recognised facts under way to a former owner: it
   * may be silent.
   */
  setRoute(route: FactRoute): void {
    this.#route = route;
    if (route.kind !== 'follower') this.#handOver = null;
    else if (!isSame(this.#handOver?.owner, route.owner)) {
      this.#handOver = new HandOver(route.owner, this.#options.hand);
      this.#leaveAll();
    }
    if (route.kind === 'owner') this.#leaveAll();
    this.#wakeAll();
  }

  async submit(fact: Fact): Promise<Submitted> {
    if (this.#isClosed || this.#waiting >= this.#options.queueMax) return { kind: 'busy' };
    this.#waiting += 1;
    try {
      const outcome = await this.#passed(fact);
      this.#lastFailure = outcome.kind === 'unavailable' ? outcome.cause : null;
      if (outcome.kind === 'unavailable' && outcome !== NOT_SHOWN) {
        this.#options.observe('refused');
      }
      return outcome;
    } finally {
      this.#waiting -= 1;
      if (this.#waiting === 0) for (const resolve of this.#idle.splice(0)) resolve();
    }
  }

  /** This receiver stops: facts wait for an owner for a second at most. */
  hurry(): void {
    this.#holdsUntil = performance.now() + STOPPING_HOLD_MS_MAX;
    this.#wakeAll();
  }

  close(): Promise<void> {
    this.#isClosed = true;
    // Facts that wait for an owner are refused now.
    this.#wakeAll();
    if (this.#waiting === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  async #passed(fact: Fact): Promise<Submitted> {
    const endsAt = performance.now() + this.#holdMsMax;
    for (;;) {
      const route = this.#route;
      const attempt = await this.#attempt(fact, route);
      if (attempt.kind === 'done') return attempt.outcome;
      const leftMs = Math.min(endsAt, this.#holdsUntil) - performance.now();
      if (leftMs <= 0 || this.#isClosed) return { kind: 'unavailable', cause: attempt.cause };
      if (this.#route !== route) continue;
      await this.#change(Math.min(leftMs, route.kind === 'waiting' ? leftMs : AGAIN_MS));
    }
  }

  async #attempt(fact: Fact, route: FactRoute): Promise<Attempt> {
    switch (route.kind) {
      case 'owner': {
        const outcome = await this.#options.local.submit(fact);
        return outcome.kind === 'unavailable' && isRecognised(fact)
          ? { kind: 'again', cause: outcome.cause }
          : { kind: 'done', outcome };
      }
      case 'follower':
        if (this.#handOver === null) throw new Error('a follower has a way to its owner');
        return this.#attemptOf(fact, await this.#handedBy(this.#handOver, fact));
      case 'waiting':
        return { kind: 'again', cause: route.cause };
      case 'refusing':
        return { kind: 'done', outcome: { kind: 'unavailable', cause: route.cause } };
      default:
        return route satisfies never;
    }
  }

  #handedBy(handOver: HandOver, fact: Fact): Promise<HandedFact> {
    const answer = handOver.submit(fact);
    if (!isRecognised(fact)) return answer;
    return new Promise((resolve) => {
      const leave = (): void => resolve({ kind: 'unknown', cause: 'the owner did not answer' });
      this.#handed.add(leave);
      void answer.then((handed) => {
        this.#handed.delete(leave);
        resolve(handed);
      });
    });
  }

  #leaveAll(): void {
    for (const leave of this.#handed) leave();
    this.#handed.clear();
  }

  async #attemptOf(fact: Fact, handed: HandedFact): Promise<Attempt> {
    switch (handed.kind) {
      case 'answered':
        return this.#answered(fact, handed);
      case 'not_owner':
        return { kind: 'again', cause: 'the owner of the journal changes' };
      case 'unreached':
        return { kind: 'again', cause: handed.cause };
      case 'busy':
        return { kind: 'done', outcome: { kind: 'busy' } };
      case 'refused':
        return { kind: 'done', outcome: { kind: 'unavailable', cause: handed.cause } };
      case 'unknown':
        return isRecognised(fact)
          ? { kind: 'again', cause: handed.cause }
          : { kind: 'done', outcome: { kind: 'unavailable', cause: handed.cause } };
      default:
        return handed satisfies never;
    }
  }

  async #answered(
    fact: Fact,
    { answer, position }: Extract<HandedFact, { kind: 'answered' }>,
  ): Promise<Attempt> {
    if (answer.kind === 'failed') throw new Error(`the owner failed: ${answer.cause}`);
    if (answer.kind === 'unavailable' && isRecognised(fact)) {
      return { kind: 'again', cause: answer.cause };
    }
    if (answer.kind !== 'busy' && answer.kind !== 'unavailable') this.#options.observe('forwarded');
    if (answer.kind !== 'taken' && answer.kind !== 'unchanged') {
      return { kind: 'done', outcome: answer };
    }
    // The caller reads this replica next and must find what it has done, now or earlier.
    const isShown = await this.#options.applied.waitFor(position, this.#appliedMsMax);
    return { kind: 'done', outcome: isShown ? answer : NOT_SHOWN };
  }

  #wakeAll(): void {
    for (const wake of this.#changed.splice(0)) wake();
  }

  /** Resolves when the route changes, at the latest after `msMax`. */
  #change(msMax: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#changed = this.#changed.filter((one) => one !== wake);
        resolve();
      }, msMax);
      const wake = (): void => {
        clearTimeout(timer);
        resolve();
      };
      this.#changed.push(wake);
    });
  }
}

/** Whether the books recognise a repeat of the fact. */
function isRecognised({ kind }: Fact): boolean {
  return kind === 'notification' || kind === 'quarantined';
}

function isSame(one: Owner | undefined, other: Owner): boolean {
  return one?.epoch === other.epoch && one.url === other.url;
}
