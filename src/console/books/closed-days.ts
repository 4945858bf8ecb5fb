import type { Reads } from '../../store/reads.ts';

/** A closed day as a statement's period: moments in ISO 8601, `to` exclusive. */
export interface ClosedDayPeriod {
  /** `2025-11-20` */
  readonly day: string;
  /** The cut-off of the day before; for the first day, the journal's first fact. */
  readonly from: string;
  /** The day's cut-off. */
  readonly to: string;
}

/** Closed days that a page knows as periods; the statement of an older day has a default begin. */
const CLOSED_DAYS_MAX = 100;

function momentText(at: number): string {
  return new Date(at).toISOString();
}

/** The newest closed days as periods, newest first. Days are closed in order, without gaps. */
export async function readClosedDays(
  reads: Pick<Reads, 'closes' | 'firstRecordedAt'>,
): Promise<readonly ClosedDayPeriod[]> {
  const [{ items, total }, firstAt] = await Promise.all([
    reads.closes({ page: 0, pageSize: CLOSED_DAYS_MAX }),
    reads.firstRecordedAt(),
  ]);
  const beginOfOldest = total > items.length ? null : firstAt;
  return items.flatMap(({ close: { day, cutOffAt } }, index) => {
    const from = items[index + 1]?.close.cutOffAt ?? beginOfOldest;
    return from === null ? [] : [{ day, from: momentText(from), to: momentText(cutOffAt) }];
  });
}

/** The statement period that ends after `asOf` (Unix milliseconds): a closed day, else no begin. */
export function periodUntil(
  asOf: number,
  closedDays: readonly ClosedDayPeriod[],
): { readonly from?: string; readonly to: string } {
  const to = momentText(asOf + 1);
  const closed = closedDays.find((one) => one.to === to);
  return closed === undefined ? { to } : { from: closed.from, to };
}
