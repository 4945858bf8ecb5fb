import type { Fact } from '../../domain/fact/fact.ts';
import type { FactQueue } from '../../intake/fact-queue.ts';
import type { Submitted, Unavailable } from '../../store/port.ts';
import type { Owner } from '../../store/replicated/shared-journal.ts';
import { HandOver, type HandedFact } from './hand-over.ts';
import type { HandOverResult } from './owner-client.ts';
import type { ReplicaPosition } from './replica-position.ts';
import { NOT_LEVEL, type FactRoute } from './fact-route.ts';

/** How long a fact waits for an owner and its answer. A webhook's sender gives up after 10 s. */
const HOLD_MS_MAX = 6_000;
/**
 * The same once this receiver stops. Another one takes over within some 0.3 s, on a busy machine within
 * some 2 s. If no other receiver is left, deliveries under way wait in vain.
 */
const STOPPING_HOLD_MS_MAX = 4_000;
/** Pause before a fact is tried again under the same route. */
const AGAIN_MS = 100;

const NOT_SHOWN: Submitted = {
  kind: 'unavailable',
  effect: 'unknown',
  cause: 'the owner has recorded it, and this replica does not show it yet',
};

/** The owner, or this receiver's journal, did not answer in time. The fact may have been kept. */
const SILENT = 'the owner of the journal did not answer';

/** The queue's time, injected: tests and the simulation end a wait without waiting. */
export interface QueueClock {
  /** Monotonic milliseconds. */
  now(): number;
  /** Calls `ring` at `timeMs`, never before; returns what cancels that. */
  at(timeMs: number, ring: () => void): () => void;
}

const PROCESS_CLOCK: QueueClock = {
  now: () => performance.now(),
  at: (timeMs, ring) => {
    // Node counts whole milliseconds, and may ring one early.
    const timer = setTimeout(ring, Math.ceil(timeMs - performance.now()) + 1);
    return () => clearTimeout(timer);
  },
};

export interface ReceiverQueueOptions {
  /** This receiver's own writer. */
  readonly local: Pick<FactQueue, 'submit'>;
  readonly hand: (owner: Owner, facts: readonly Fact[]) => Promise<HandOverResult>;
  readonly applied: ReplicaPosition;
  /** Most unanswered facts. */
  readonly queueMax: number;
  /** Called with the number of facts that an owner answered, and of those that nobody kept. */
  readonly observe: (result: 'forwarded' | 'refused') => void;
  /** How long a fact waits for an owner and its answer, milliseconds. */
  readonly holdMsMax?: number;
  /** How long a caller waits until this replica shows what the owner has kept, milliseconds. */
  readonly appliedMsMax?: number;
  /** By default, the process's. */
  readonly clock?: QueueClock;
}

/** What one attempt brought. */
type Attempt = { readonly kind: 'done'; readonly outcome: Submitted } | Unavailable;

/**
 * Takes facts of everybody and brings each to the owner: to this receiver's own writer, or over HTTP.
 * While the owner changes, facts wait; so an orderly hand-over refuses no fact. A fact that may have
 * been kept is repeated only if the books recognise a repeat.
 */
export class ReceiverQueue implements FactQueue {
  readonly #options: ReceiverQueueOptions;
  readonly #clock: QueueClock;
  #route: FactRoute = { kind: 'pending', cause: 'this receiver has just started' };
  #handOver: HandOver | null = null;
  /** Facts that wait for another route, or to be tried again. */
  readonly #changed = new Set<() => void>();
  /** Facts handed over and not answered, which another owner may take. */
  readonly #handed = new Set<() => void>();
  #queued = 0;
  /** Facts that found no owner are refused afterwards, on the queue's clock. */
  #holdsUntil = Infinity;
  #isClosed = false;
  #idle: (() => void)[] = [];
  #lastFailure: string | null = null;

  constructor(options: ReceiverQueueOptions) {
    this.#options = options;
    this.#clock = options.clock ?? PROCESS_CLOCK;
  }

  get queued(): number {
    return this.#queued;
  }

  get lastFailure(): string | null {
    return this.#lastFailure;
  }

  /**
   * Facts that wait take the new way at once. A former owner may be silent: facts that were not sent
   * to it yet also take the new way, and recognised facts that were sent.
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
    if (this.#isClosed || this.#queued >= this.#options.queueMax) return { kind: 'busy' };
    this.#queued += 1;
    try {
      const outcome = await this.#passed(fact);
      this.#lastFailure = outcome.kind === 'unavailable' ? outcome.cause : null;
      if (outcome.kind === 'unavailable' && outcome !== NOT_SHOWN) {
        this.#options.observe('refused');
      }
      return outcome;
    } finally {
      this.#queued -= 1;
      if (this.#queued === 0) for (const resolve of this.#idle.splice(0)) resolve();
    }
  }

  /** This receiver stops: facts wait for an owner for a shorter time. */
  hurry(): void {
    this.#holdsUntil = this.#clock.now() + STOPPING_HOLD_MS_MAX;
    this.#wakeAll();
  }

  close(): Promise<void> {
    this.#isClosed = true;
    // Facts that wait for an owner are refused now.
    this.#wakeAll();
    if (this.#queued === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  async #passed(fact: Fact): Promise<Submitted> {
    const endsAt = this.#clock.now() + (this.#options.holdMsMax ?? HOLD_MS_MAX);
    let effect: Unavailable['effect'] = 'none';
    for (;;) {
      const route = this.#route;
      const attempt = await this.#attempt(fact, route, endsAt);
      if (attempt.kind === 'done') return attempt.outcome;
      if (attempt.effect === 'unknown') effect = 'unknown';
      const mayRepeat = effect === 'none' || isRecognised(fact);
      const leftMs = Math.min(endsAt, this.#holdsUntil) - this.#clock.now();
      if (!mayRepeat || leftMs <= 0 || this.#isClosed) return { ...attempt, effect };
      if (this.#route !== route) continue;
      await this.#change(Math.min(leftMs, route.kind === 'pending' ? leftMs : AGAIN_MS));
    }
  }

  async #attempt(fact: Fact, route: FactRoute, endsAt: number): Promise<Attempt> {
    switch (route.kind) {
      case 'owner': {
        const outcome = await this.#kept(fact, endsAt);
        return outcome.kind === 'unavailable' ? outcome : { kind: 'done', outcome };
      }
      case 'follower':
        // Its caller may have a token that was revoked, and saw an old state.
        if (!route.isLevel && fact.kind === 'decision') return unkept(NOT_LEVEL);
        if (this.#handOver === null) throw new Error('a follower has a way to its owner');
        return this.#attemptOf(await this.#handedBy(this.#handOver, fact, endsAt));
      case 'pending':
        return unkept(route.cause);
      case 'refusing':
        return { kind: 'done', outcome: unkept(route.cause) };
      default:
        return route satisfies never;
    }
  }

  /** The own writer's answer. At the end of its time the fact leaves: the journal may be silent. */
  #kept(fact: Fact, endsAt: number): Promise<Submitted> {
    return new Promise((resolve, reject) => {
      const leave = (): void => resolve(uncertain(SILENT));
      const cancel = this.#clock.at(endsAt, leave);
      void this.#options.local.submit(fact).then(resolve, reject).finally(cancel);
    });
  }

  /** The owner's answer. At the end of its time the fact leaves: the owner may be silent. */
  #handedBy(handOver: HandOver, fact: Fact, endsAt: number): Promise<HandedFact> {
    return new Promise((resolve) => {
      const end = (handed: HandedFact): void => {
        cancel();
        this.#handed.delete(leave);
        resolve(handed);
      };
      const withdraw = handOver.submit(fact, end);
      const leave = (): void => {
        if (withdraw()) end({ kind: 'unreached', cause: SILENT });
        else if (isRecognised(fact)) end({ kind: 'unknown', cause: SILENT });
      };
      const cancel = this.#clock.at(endsAt, () =>
        end({ kind: withdraw() ? 'unreached' : 'unknown', cause: SILENT }),
      );
      this.#handed.add(leave);
    });
  }

  #leaveAll(): void {
    for (const leave of this.#handed) leave();
  }

  async #attemptOf(handed: HandedFact): Promise<Attempt> {
    switch (handed.kind) {
      case 'answered':
        return this.#answered(handed);
      case 'not_owner':
        return unkept('the owner of the journal changes');
      case 'unreached':
        return unkept(handed.cause);
      case 'busy':
        return { kind: 'done', outcome: { kind: 'busy' } };
      case 'refused':
        return { kind: 'done', outcome: unkept(handed.cause) };
      case 'unknown':
        return uncertain(handed.cause);
      default:
        return handed satisfies never;
    }
  }

  async #answered({
    answer,
    position,
  }: Extract<HandedFact, { kind: 'answered' }>): Promise<Attempt> {
    if (answer.kind === 'failed') throw new Error(`the owner failed: ${answer.cause}`);
    if (answer.kind === 'unavailable') return answer;
    if (answer.kind !== 'busy') this.#options.observe('forwarded');
    if (answer.kind !== 'taken' && answer.kind !== 'unchanged') {
      return { kind: 'done', outcome: answer };
    }
    // The caller reads this replica next and must find what it has done, now or earlier.
    const { applied, appliedMsMax } = this.#options;
    const isShown = await applied.waitFor(position, appliedMsMax);
    return { kind: 'done', outcome: isShown ? answer : NOT_SHOWN };
  }

  #wakeAll(): void {
    for (const wake of this.#changed) wake();
  }

  /** Resolves when the route changes, at the latest after `msMax`. */
  #change(msMax: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        cancel();
        this.#changed.delete(wake);
        resolve();
      };
      const cancel = this.#clock.at(this.#clock.now() + msMax, wake);
      this.#changed.add(wake);
    });
  }
}

/** Nothing was kept. */
function unkept(cause: string): Unavailable {
  return { kind: 'unavailable', effect: 'none', cause };
}

/** It may have been kept. */
function uncertain(cause: string): Unavailable {
  return { kind: 'unavailable', effect: 'unknown', cause };
}

/** Whether the books recognise a repeat of the fact: they answer it like the first one. */
function isRecognised(fact: Fact): boolean {
  if (fact.kind !== 'decision') return fact.kind === 'notification' || fact.kind === 'quarantined';
  return fact.decision.kind === 'acknowledge' || fact.decision.kind === 'sign';
}

function isSame(one: Owner | undefined, other: Owner): boolean {
  return one?.epoch === other.epoch && one.url === other.url;
}
