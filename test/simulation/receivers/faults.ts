import type { AppendFault } from '../../store/replicated/memory-journal.ts';
import { Chance } from '../seeded-draws.ts';

/** What happens to the statement that appends a commit, besides the faults of its connection. */
export type AppendFate =
  | 'passes'
  | AppendFault
  /** The process dies before the statement leaves, or after the journal has kept the commit. */
  | 'dies_before'
  | 'dies_after'
  /** The process sleeps before the statement leaves, or after the journal has kept the commit. */
  | 'sleeps_before'
  | 'sleeps_after';

/** What happens to any other statement. */
export type CallFate = 'passes' | 'unreachable' | 'dies_before' | 'dies_after' | 'sleeps_before';

/** What happens to facts and calls on their way to the owner, and their answers. */
export type HandFate = 'passes' | 'request_lost' | 'answer_lost';

/** What happens between two steps of the simulation. */
export type Event =
  | 'cut'
  | 'sleep'
  | 'wake'
  | 'leave'
  | 'fail_over'
  | 'deliver_late'
  | 'slow'
  | 'rough'
  | 'calm'
  | 'old_replica'
  | 'empty_replica';

const EVENTS: Readonly<Record<Event, number>> = {
  cut: 6,
  sleep: 6,
  wake: 10,
  leave: 5,
  fail_over: 4,
  deliver_late: 4,
  slow: 4,
  rough: 6,
  calm: 4,
  old_replica: 2,
  empty_replica: 1,
};

const APPEND: Readonly<Record<AppendFate, number>> = {
  passes: 80,
  lost_before: 3,
  lost_after: 3,
  late: 3,
  cancelled: 2,
  dies_before: 2,
  dies_after: 2,
  sleeps_before: 3,
  sleeps_after: 2,
};
const CALL: Readonly<Record<CallFate, number>> = {
  passes: 140,
  unreachable: 4,
  dies_before: 1,
  dies_after: 1,
  sleeps_before: 1,
};
const HAND: Readonly<Record<HandFate, number>> = { passes: 20, request_lost: 1, answer_lost: 2 };

/** How often an event happens between two steps. */
const EVENTS_PER_STEP = 0.35;
const REPLICA_FAILURES = 0.03;
/** A slow receiver takes one step of so many. */
const SLOW_STEPS = 0.15;
/** How often the owner's step comes first when time has passed; else its lease may have ended. */
const OWNER_FIRST = 0.8;

/** Draws the faults of receivers, of their journal and of the calls between them, by seed. */
export class Faults {
  readonly chance: Chance;
  #isRough = false;
  #isOver = false;

  constructor(seed: number) {
    this.chance = new Chance(seed, 'receivers');
  }

  /** Draws no more faults. */
  end(): void {
    this.#isOver = true;
    this.#isRough = false;
  }

  event(): Event | undefined {
    if (!this.chance.happens(EVENTS_PER_STEP)) return undefined;
    const event = this.chance.weighted(EVENTS);
    if (event === 'rough' || event === 'calm') this.#isRough = event === 'rough';
    return event;
  }

  appendFate(): AppendFate {
    return this.#isRough ? this.chance.weighted(APPEND) : 'passes';
  }

  callFate(): CallFate {
    return this.#isRough ? this.chance.weighted(CALL) : 'passes';
  }

  handFate(): HandFate {
    return this.#isRough ? this.chance.weighted(HAND) : 'passes';
  }

  /** Whether the disk of a replica fails now. */
  replicaFails(): boolean {
    return this.#isRough && this.chance.happens(REPLICA_FAILURES);
  }

  slowSteps(): boolean {
    return this.#isOver || this.chance.happens(SLOW_STEPS);
  }

  ownerFirst(): boolean {
    return this.#isOver || this.chance.happens(OWNER_FIRST);
  }
}
