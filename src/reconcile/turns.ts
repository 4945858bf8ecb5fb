import { remember } from './remember.ts';

/**
 * What is asked for singly is asked for at once, then after a minute, two, four, up to an hour: one
 * that the API keeps not knowing must not eat the budget of those that it will know.
 */
const FIRST_INTERVAL_MS = 60_000;
const INTERVAL_MS_MAX = 3_600_000;

/** How long to wait before the next try, after what was waited before this one; undefined: nothing. */
export function nextIntervalMs(before: number | undefined): number {
  return before === undefined ? FIRST_INTERVAL_MS : Math.min(before * 2, INTERVAL_MS_MAX);
}

/** Subjects remembered as asked for; beyond it the oldest are forgotten and asked for again. */
const REMEMBERED_MAX = 100_000;

interface Times {
  readonly askedAt: number;
  readonly dueAt: number;
}

interface Turn extends Times {
  readonly intervalMs: number;
}

/** Whose turn it is to be asked for singly. */
export class Turns<Subject> {
  readonly #idOf: (subject: Subject) => string;
  readonly #asked = new Map<string, Turn>();

  constructor(idOf: (subject: Subject) => string) {
    this.#idOf = idOf;
  }

  /** Those whose turn has come, the longest overdue first. */
  due(subjects: readonly Subject[], now: number): Subject[] {
    return this.#inOrder(subjects, (turn) => (isDue(now, turn) ? turn.dueAt : null));
  }

  /** Those whose turn has not come, the one asked for the longest ago first. */
  early(subjects: readonly Subject[], now: number): Subject[] {
    return this.#inOrder(subjects, (turn) => (isDue(now, turn) ? null : turn.askedAt));
  }

  /** Remembers that one was asked for, whatever came of it. */
  take(subject: Subject, now: number): void {
    const id = this.#idOf(subject);
    const intervalMs = nextIntervalMs(this.#asked.get(id)?.intervalMs);
    const turn = { askedAt: now, dueAt: now + intervalMs, intervalMs };
    remember(this.#asked, [id, turn], REMEMBERED_MAX);
  }

  /** It is done with: should it come again, it is asked for at once. */
  forget(subject: Subject): void {
    this.#asked.delete(this.#idOf(subject));
  }

  /** Those that have a place, by it. */
  #inOrder(subjects: readonly Subject[], placeOf: (turn: Times) => number | null): Subject[] {
    const placed = subjects.flatMap((subject) => {
      const place = placeOf(this.#asked.get(this.#idOf(subject)) ?? NEVER_ASKED);
      return place === null ? [] : [{ subject, place }];
    });
    return (
      placed
        // Two that were never asked for keep their order: their difference is no number.
        .sort((left, right) => left.place - right.place || 0)
        .map(({ subject }) => subject)
    );
  }
}

const NEVER_ASKED = { askedAt: Number.NEGATIVE_INFINITY, dueAt: Number.NEGATIVE_INFINITY };

/** A clock that was set back makes every turn due. */
function isDue(now: number, { askedAt, dueAt }: Times): boolean {
  return dueAt <= now || askedAt > now;
}

/** Of two lists by turns, each in its order: neither can keep the other from its share. */
export function byTurns<Subject>(left: readonly Subject[], right: readonly Subject[]): Subject[] {
  const pairs = Math.min(left.length, right.length);
  const paired = left.slice(0, pairs).flatMap((one, at) => [one, ...right.slice(at, at + 1)]);
  return [...paired, ...left.slice(pairs), ...right.slice(pairs)];
}
