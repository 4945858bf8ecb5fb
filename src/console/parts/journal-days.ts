import type { Reads } from '../../store/reads.ts';
import { daysAfter, dayText } from './value/moments.ts';

/** The calendar date of a moment in a time zone, `YYYY-MM-DD`. */
function dayAt(at: number, timezone: string): string {
  // Sweden writes dates like ISO 8601.
  return new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short' }).format(at);
}

/** The date after a date, `YYYY-MM-DD`. */
export function nextDay(day: string): string {
  return dayText(daysAfter(Date.parse(day), 1));
}

/** The reads that `readDueCloses` makes. */
export type JournalDayReads = Pick<Reads, 'lastClose' | 'firstRecordedAt'>;

/** Now, in Unix milliseconds, and the IANA time zone in which days end. */
export interface DayClock {
  readonly now: number;
  readonly timezone: string;
}

/** The days that the journal spans. */
export interface JournalDays {
  readonly timezone: string;
  /** The day of the first fact; undefined while there is none. */
  readonly first: string | undefined;
  readonly today: string;
}

/** The days of the journal from its first fact until today. */
export async function readJournalDays(
  reads: Pick<Reads, 'firstRecordedAt'>,
  { now, timezone }: DayClock,
): Promise<JournalDays> {
  const firstAt = await reads.firstRecordedAt();
  const first = firstAt === null ? undefined : dayAt(firstAt, timezone);
  return { timezone, first, today: dayAt(now, timezone) };
}

/** Days, one after another, whose closes are so late that they need a person. */
export interface OverdueDays {
  /** `YYYY-MM-DD`: the oldest and the newest of them. */
  readonly first: string;
  readonly last: string;
  readonly count: number;
  /** When the oldest of them ended, Unix milliseconds. */
  readonly since: number;
}

/** When days end, and which of them are overdue. */
export interface DayCloses {
  /** The IANA time zone in which days end. */
  readonly timezone: string;
  /** The overdue days from a day on, `YYYY-MM-DD`; undefined for none. */
  readonly overdueFrom: (first: string) => OverdueDays | undefined;
  /**
   * When the next close is due, Unix milliseconds. `firstAt`: when the first fact was recorded; null
   * while there is none.
   */
  readonly nextDueAt: (firstAt: number | null) => number;
}

/** The overdue days, undefined without any; and when the next close is due, Unix milliseconds. */
export async function readDueCloses(
  reads: JournalDayReads,
  { timezone, overdueFrom, nextDueAt }: DayCloses,
): Promise<{ readonly overdue: OverdueDays | undefined; readonly nextAt: number }> {
  const [last, firstAt] = await Promise.all([reads.lastClose(), reads.firstRecordedAt()]);
  const nextAt = nextDueAt(firstAt);
  if (firstAt === null) return { overdue: undefined, nextAt };
  const first = last === undefined ? dayAt(firstAt, timezone) : nextDay(last.day);
  return { overdue: overdueFrom(first), nextAt };
}
