import type { Closable } from '../../domain/close/closable.ts';
import type { Reads } from '../../store/reads.ts';
import type { CloseCalendar } from './calendar.ts';

/** Whether a day that is not closed can be closed now. `nowMs`: Unix milliseconds. */
export async function closableAt(
  day: string,
  nowMs: number,
  from: { readonly reads: Pick<Reads, 'firstRecordedAt'>; readonly calendar: CloseCalendar },
): Promise<Closable> {
  const { reads, calendar } = from;
  const firstAt = await reads.firstRecordedAt();
  const begins = firstAt === null ? null : calendar.dayAt(firstAt);
  if (begins === null || day < begins) return { kind: 'before_journal', begins };
  const { cutOffAt } = calendar.day(day);
  return nowMs < cutOffAt ? { kind: 'too_early', cutOffAt } : { kind: 'ended' };
}
