import { putBounded } from './bounded-map.ts';

/**
 * Intervals between single look-ups of one subject: none before the first, then 1, 2, 4 minutes, up
 * to an hour. A subject that the API never knows must not use up the budget of the others.
 */
const FIRST_INTERVAL_MS = 60_000;
const INTERVAL_MS_MAX = 3_600_000;

/**
 * The wait before the next attempt, after a wait of `before` milliseconds; undefined: the first
 * attempt.
 */
export function nextBackoffMs(before: number | undefined): number {
  return before === undefined ? FIRST_INTERVAL_MS : Math.min(before * 2, INTERVAL_MS_MAX);
}

/** Most subjects kept; an evicted subject is due at once. */
const SUBJECTS_MAX = 100_000;

export interface AskedTimes {
  readonly askedAt: number;
  readonly dueAt: number;
}

interface LookupTimes extends AskedTimes {
  readonly intervalMs: number;
}

/** Schedules single look-ups: each subject is due again after growing intervals. */
export class LookupBackoff<Subject> {
  readonly #idOf: (subject: Subject) => string;
  readonly #asked = new Map<string, LookupTimes>();

  constructor(idOf: (subject: Subject) => string) {
    this.#idOf = idOf;
  }

  /**
   * Subjects that are due: alternately those asked for before, the longest overdue first, and those
   * never asked for. Forged subjects that keep arriving must not starve the others.
   */
  due(subjects: readonly Subject[], now: number): Subject[] {
    const due = this.#inOrder(subjects, (times) => (isDue(now, times) ? times.dueAt : null));
    return alternating(due, (subject) => this.#asked.has(this.#idOf(subject)));
  }

  /** All subjects: first those that are due, then the longest unasked. */
  inTurn(subjects: readonly Subject[], now: number): Subject[] {
    return [...this.due(subjects, now), ...this.early(subjects, now)];
  }

  /** Subjects that are not due, the longest unasked first. */
  early(subjects: readonly Subject[], now: number): Subject[] {
    return this.#inOrder(subjects, (times) => (isDue(now, times) ? null : times.askedAt));
  }

  /** Records a look-up of the subject with any result. */
  take(subject: Subject, now: number): void {
    const id = this.#idOf(subject);
    const intervalMs = nextBackoffMs(this.#asked.get(id)?.intervalMs);
    const times = { askedAt: now, dueAt: now + intervalMs, intervalMs };
    putBounded(this.#asked, [id, times], SUBJECTS_MAX);
  }

  /** Forgets a subject: if it appears again, it is due at once. */
  forget(subject: Subject): void {
    this.#asked.delete(this.#idOf(subject));
  }

  /** Subjects with a rank, in ascending order. */
  #inOrder(subjects: readonly Subject[], rankOf: (times: AskedTimes) => number | null): Subject[] {
    const ranked = subjects.flatMap((subject) => {
      const rank = rankOf(this.#asked.get(this.#idOf(subject)) ?? NEVER_ASKED);
      return rank === null ? [] : [{ subject, rank }];
    });
    return (
      ranked
        // Subjects never asked for keep their order: the difference of two infinities is NaN.
        .sort((left, right) => left.rank - right.rank || 0)
        .map(({ subject }) => subject)
    );
  }
}

const NEVER_ASKED = { askedAt: Number.NEGATIVE_INFINITY, dueAt: Number.NEGATIVE_INFINITY };

/** Everything is due after the clock was set back. */
export function isDue(now: number, { askedAt, dueAt }: AskedTimes): boolean {
  return dueAt <= now || askedAt > now;
}

/** Takes subjects of two kinds alternately, so that neither kind starves the other. */
export function alternating<Subject>(
  subjects: readonly Subject[],
  isOfFirstKind: (subject: Subject) => boolean,
): Subject[] {
  const first = subjects.filter(isOfFirstKind);
  const second = subjects.filter((subject) => !isOfFirstKind(subject));
  const pairs = Math.min(first.length, second.length);
  const paired = first.slice(0, pairs).flatMap((one, at) => [one, ...second.slice(at, at + 1)]);
  return [...paired, ...first.slice(pairs), ...second.slice(pairs)];
}
