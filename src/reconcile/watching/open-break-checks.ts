import type { Outcome } from '../../custody/call/outcome.ts';
import type { Tally } from '../comparing/tally.ts';
import type { LookupBackoff } from '../pacing/lookup-backoff.ts';
import { hasFailed, isOutOfReach } from '../pacing/outcome-kind.ts';

/** Most checks per run of due subjects whose problem persists. */
const DUE_MAX = 3;

/** Most checks per run of subjects that are not due: a few are checked in every run. */
const EARLY_MAX = 2;

/** Most checks per run in all: a person may have fixed many at once. */
const LOOKS_MAX = 20;

/** The result of a check. */
export type Look =
  /** The problem persists, or the answer is not conclusive. */
  | 'unsolved'
  | 'fixed'
  /** The API failed: further checks in this run would fail too. */
  | 'failed'
  /** The budget or the circuit allows no request now. */
  | 'out of reach';

/** The result of a check whose answer does not show that the problem is fixed. */
export function notFixed(outcome: Outcome<unknown>): Exclude<Look, 'fixed'> {
  if (hasFailed(outcome)) return 'failed';
  return isOutOfReach(outcome.kind) ? 'out of reach' : 'unsolved';
}

/**
 * Checks subjects with an open break first, in every run. A subject whose problem persists is due
 * again at growing intervals. A few subjects that are not due are checked early, in rotation. Checks
 * that find the problem solved do not count against the limits. Returns whether the API answered all
 * checks; counts due but unchecked subjects in the tally.
 */
export async function checkOpenBreaks<Subject>(
  subjects: readonly Subject[],
  context: {
    readonly backoff: LookupBackoff<Subject>;
    readonly now: number;
    readonly tally: Tally;
    /** Requests that may start now: checks never wait for budget. */
    readonly room: () => number;
    readonly look: (subject: Subject) => Promise<Look>;
  },
): Promise<boolean> {
  const { backoff, now, tally, room, look } = context;
  const due = backoff.due(subjects, now);
  let [looks, dueLooks, isReachable] = [0, 0, true];
  for (const [list, most] of [
    [due, DUE_MAX],
    [backoff.early(subjects, now), EARLY_MAX],
  ] as const) {
    let unsolved = 0;
    for (const subject of list) {
      if (!isReachable || unsolved === most || looks === LOOKS_MAX || room() === 0) break;
      const found = await look(subject);
      isReachable = found === 'unsolved' || found === 'fixed';
      if (found === 'out of reach') break;
      looks += 1;
      if (list === due) dueLooks += 1;
      if (found === 'fixed') backoff.forget(subject);
      else {
        backoff.take(subject, now);
        unsolved += 1;
      }
    }
  }
  tally.skip(isReachable ? 'rate_budget' : 'api_unavailable', due.length - dueLooks);
  return isReachable;
}
