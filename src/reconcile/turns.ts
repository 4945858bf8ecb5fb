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

/** Whose turn it is to be asked for singly. */
export class Turns<Subject> {
  readonly #idOf: (subject: Subject) => string;
  readonly #asked = new Map<string, { readonly dueAt: number; readonly intervalMs: number }>();

  constructor(idOf: (subject: Subject) => string) {
    this.#idOf = idOf;
  }

  /** Those whose turn has come, the longest overdue first. */
  due(subjects: readonly Subject[], now: number): Subject[] {
    return subjects
      .filter((subject) => this.#dueAt(subject) <= now)
      .sort((left, right) => this.#dueAt(left) - this.#dueAt(right));
  }

  /** Remembers that one was asked for, whatever came of it. */
  take(subject: Subject, now: number): void {
    const id = this.#idOf(subject);
    const intervalMs = nextIntervalMs(this.#asked.get(id)?.intervalMs);
    remember(this.#asked, [id, { dueAt: now + intervalMs, intervalMs }], REMEMBERED_MAX);
  }

  #dueAt(subject: Subject): number {
    return this.#asked.get(this.#idOf(subject))?.dueAt ?? Number.NEGATIVE_INFINITY;
  }
}

/** Of two lists by turns, each in its order: neither can keep the other from its share. */
export function byTurns<Subject>(left: readonly Subject[], right: readonly Subject[]): Subject[] {
  const pairs = Math.min(left.length, right.length);
  const paired = left.slice(0, pairs).flatMap((one, at) => [one, ...right.slice(at, at + 1)]);
  return [...paired, ...left.slice(pairs), ...right.slice(pairs)];
}
