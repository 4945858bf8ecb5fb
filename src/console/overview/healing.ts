import type { BreakType } from '../../domain/break/break.ts';
import type { Oldest, ShownBreak } from '../../store/answers.ts';
import type { Reads } from '../../store/reads.ts';

/** Breaks that late notifications, replays and the next runs usually close. */
const HEALING_TYPES = [
  'missing_notification',
  'status_mismatch',
  'amount_changed',
  'delivery_backlog',
] as const satisfies readonly BreakType[];

/** Such a break needs a person when it is still open after so long. */
const HEALING_MS = 3_600_000;

/** It needs one at once if it is more severe, or if a person has taken it. */
const UNTOUCHED = { state: 'open', severity: 'warning', assignee: null } as const;

const PAGE_SIZE = 50;
/** A look stops here, however many young breaks come before those that need a person. */
const PAGES_MAX = 10;

function mayHeal(one: ShownBreak, now: number): boolean {
  return (
    HEALING_TYPES.some((type) => type === one.type) &&
    one.state === UNTOUCHED.state &&
    one.severity === UNTOUCHED.severity &&
    one.assignee === UNTOUCHED.assignee &&
    one.openedAt > now - HEALING_MS
  );
}

/** Unresolved breaks: those that need a person, and how many may still close by themselves. */
export interface BreaksForPeople extends Oldest<ShownBreak> {
  /** How many may close by themselves. */
  readonly healing: number;
}

/** The unresolved breaks that need a person, the most urgent first. `now`: Unix milliseconds. */
export async function readBreaksForPeople(
  reads: Pick<Reads, 'breaks'>,
  { now, limit }: { now: number; limit: number },
): Promise<BreaksForPeople> {
  const urgent = { state: 'unresolved', sort: 'severity:desc' } as const;
  const items: ShownBreak[] = [];
  let unresolved = 0;
  for (let page = 0; page < PAGES_MAX && items.length < limit; page += 1) {
    const found = await reads.breaks(urgent, { page, pageSize: PAGE_SIZE });
    unresolved = found.total;
    items.push(...found.items.filter((one) => !mayHeal(one, now)));
    if ((page + 1) * PAGE_SIZE >= found.total) break;
  }
  const young = { ...UNTOUCHED, openedAfter: now - HEALING_MS };
  const counts = await Promise.all(
    HEALING_TYPES.map(
      async (type) => (await reads.breaks({ ...young, type }, { page: 0, pageSize: 1 })).total,
    ),
  );
  const count = counts.reduce((sum, one) => sum + one, 0);
  return { items: items.slice(0, limit), total: Math.max(0, unresolved - count), healing: count };
}
