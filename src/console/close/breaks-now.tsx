import type { BreakState } from '../../domain/break/break.ts';
import { breakText } from '../../domain/break/shown-text.ts';
import type { DailyReport } from '../../domain/close/report.ts';
import { mostSevereFirst } from '../../report/critical-breaks.ts';
import type { Markup } from '../../pages/parts/markup.ts';
import { Moment } from '../../pages/parts/value/moment.tsx';
import type { ShownBreak } from '../../store/answers.ts';
import { pageWithin } from '../../store/page.ts';
import type { Reads } from '../../store/reads.ts';
import { LIST_PAGE_SIZE, type AskedDay } from './asked-day.ts';

/** The present state of breaks of a closed day, by id. */
export type BreaksNow = ReadonlyMap<string, ShownBreak>;

/** What has become of the breaks that a day's page names: its report is as of the cut-off. */
export async function readBreaksNow(
  reads: Pick<Reads, 'breaks'>,
  { openBreaks, differences }: DailyReport,
  { pages }: AskedDay,
): Promise<BreaksNow> {
  const pageSize = LIST_PAGE_SIZE;
  const named = [
    ...pageWithin(mostSevereFirst(openBreaks), { page: pages.breaks, pageSize }).items,
    ...pageWithin(differences, { page: pages.differences, pageSize }).items,
  ];
  const breakIds = new Set(named.flatMap(({ breakId }) => breakId ?? []));
  if (breakIds.size === 0) return new Map();
  const page = { page: 0, pageSize: breakIds.size };
  const found = await reads.breaks({ breakIds: [...breakIds] }, page);
  return new Map(found.items.map((one) => [one.breakId, one]));
}

/** A break's text of the report, without the advice that has been done since. */
export function presentText(
  sealed: { readonly detail: string; readonly state: BreakState },
  now: ShownBreak | undefined,
): string {
  return breakText({
    ...sealed,
    state: now?.state ?? sealed.state,
    reversal: now?.reversal ?? null,
  });
}

/** Who has resolved a break since the cut-off, and why. */
export function ResolvedSince({ now }: { now: ShownBreak | undefined }): Markup {
  if (now === undefined || now.resolvedAt === null) return <></>;
  return (
    <span class="why">
      resolved since the cut-off, <Moment at={now.resolvedAt} /> by {now.resolvedBy}:{' '}
      {now.resolution}
    </span>
  );
}
