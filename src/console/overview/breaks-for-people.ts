import type { BreakType } from '../../domain/break/break.ts';
import { groupsByCause, type CauseGroup } from '../../domain/break/cause.ts';
import type { Oldest, ShownBreak } from '../../store/answers.ts';
import type { Reads } from '../../store/reads.ts';
import { causeQuery } from '../parts/break-causes.ts';

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

/** So few breaks of one cause say more one by one. */
const GROUP_MIN = 3;
/** Each group may cost one read. */
const GROUPS_MAX = 8;

/** Several breaks of one cause among those that need a person. */
export interface CountedGroup extends CauseGroup<ShownBreak> {
  /** All unresolved breaks of the cause. */
  readonly total: number;
}

/** Unresolved breaks: those that need a person, and how many may still close by themselves. */
export interface BreaksForPeople extends Oldest<ShownBreak> {
  /** The items of one cause, the largest groups first. No break is in two of them. */
  readonly groups: readonly CountedGroup[];
  /** How many may close by themselves. */
  readonly healing: number;
}

/** The groups that share no break with a larger one. */
function separateGroups(items: readonly ShownBreak[]): CauseGroup<ShownBreak>[] {
  const taken = new Set<ShownBreak>();
  return groupsByCause(items, GROUPS_MAX).filter(({ breaks }) => {
    const isSeparate = breaks.length >= GROUP_MIN && !breaks.some((one) => taken.has(one));
    if (isSeparate) breaks.forEach((one) => taken.add(one));
    return isSeparate;
  });
}

/** Counts each group's breaks in the store, unless the items are all that there are. */
function countGroups(
  reads: Pick<Reads, 'breaks'>,
  items: readonly ShownBreak[],
  unresolved: number,
): Promise<CountedGroup[]> {
  const countOf = async ({ cause, breaks }: CauseGroup<ShownBreak>): Promise<number> => {
    if (unresolved === items.length) return breaks.length;
    return (await reads.breaks(causeQuery(cause), { page: 0, pageSize: 1 })).total;
  };
  return Promise.all(
    separateGroups(items).map(async (group) => ({ ...group, total: await countOf(group) })),
  );
}

/** The unresolved breaks that need a person, the most urgent first. `now`: Unix milliseconds. */
export async function readBreaksForPeople(
  reads: Pick<Reads, 'breaks'>,
  { now, limit }: { now: number; limit: number },
): Promise<BreaksForPeople> {
  const urgent = { state: 'unresolved', sort: 'severity:desc' } as const;
  const found: ShownBreak[] = [];
  let unresolved = 0;
  for (let page = 0; page < PAGES_MAX && found.length < limit; page += 1) {
    const { items, total } = await reads.breaks(urgent, { page, pageSize: PAGE_SIZE });
    unresolved = total;
    found.push(...items.filter((one) => !mayHeal(one, now)));
    if ((page + 1) * PAGE_SIZE >= total) break;
  }
  const items = found.slice(0, limit);
  const young = { ...UNTOUCHED, openedAfter: now - HEALING_MS };
  const [groups, ...counts] = await Promise.all([
    countGroups(reads, items, unresolved),
    ...HEALING_TYPES.map(
      async (type) => (await reads.breaks({ ...young, type }, { page: 0, pageSize: 1 })).total,
    ),
  ]);
  const healing = counts.reduce((sum, count) => sum + count, 0);
  return { items, groups, total: Math.max(0, unresolved - healing), healing };
}
