import type { Tally } from '../tally.ts';
import type { Turns } from '../turns.ts';

/** Looks per run at what is still in trouble and whose turn has come. */
const DUE_MAX = 3;

/** Looks per run at what is still in trouble before its turn: a few are looked at in every run. */
const EARLY_MAX = 2;

/** Looks per run, with those that find trouble over: a person may have mended many at once. */
const LOOKS_MAX = 20;

/** What a look found. */
export type Look =
  /** Something is wrong still, or the answer does not tell. */
  | 'in trouble'
  | 'mended'
  /** The API was asked and failed: no use asking for another one now. */
  | 'failed'
  /** The API cannot be asked now. */
  | 'out of reach';

/**
 * Looks at what has an open break before anything else, in every run. A subject that stays in trouble
 * is due at growing intervals; of those that are not due, a few are looked at by turns, so that a
 * small number is looked at in every run and a large one costs little. A look that finds trouble over
 * takes nobody's place. Answers whether the API could be asked to the end; counts in the tally who was
 * due and not looked at.
 */
export async function lookAtTroubled<Subject>(
  subjects: readonly Subject[],
  context: {
    readonly turns: Turns<Subject>;
    readonly now: number;
    readonly tally: Tally;
    /** Requests that may start now: looks wait for none. */
    readonly room: () => number;
    readonly look: (subject: Subject) => Promise<Look>;
  },
): Promise<boolean> {
  const { turns, now, tally, room, look } = context;
  const due = turns.due(subjects, now);
  let [looks, dueLooks, isReachable] = [0, 0, true];
  for (const [list, most] of [
    [due, DUE_MAX],
    [turns.early(subjects, now), EARLY_MAX],
  ] as const) {
    let troubled = 0;
    for (const subject of list) {
      if (!isReachable || troubled === most || looks === LOOKS_MAX || room() === 0) break;
      const found = await look(subject);
      isReachable = found === 'in trouble' || found === 'mended';
      if (found === 'out of reach') break;
      looks += 1;
      if (list === due) dueLooks += 1;
      if (found === 'mended') turns.forget(subject);
      else {
        turns.take(subject, now);
        troubled += 1;
      }
    }
  }
  tally.skip(isReachable ? 'rate_budget' : 'api_unavailable', due.length - dueLooks);
  return isReachable;
}
