import type { Reads } from '../../store/reads.ts';

const DAY_MS = 86_400_000;

/** A close waits for the custody API for up to an hour. After twice that, it needs a person. */
const CLOSE_MS_MAX = 2 * 3_600_000;

/** The calendar date of a moment in a time zone, `YYYY-MM-DD`. */
export function dayAt(at: number, timezone: string): string {
  // Sweden writes dates like ISO 8601.
  return new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short' }).format(at);
}

/** A date some days later; an empty text for anything but a date. */
export function dayMoved(day: string, days: number): string {
  const at = Date.parse(`${day}T00:00:00Z`);
  return Number.isNaN(at) ? '' : new Date(at + days * DAY_MS).toISOString().slice(0, 10);
}

/** The reads that `readOverdueDays` makes. */
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

/** Days that should be closed, and that nobody has closed. */
export interface OverdueDays {
  /** `YYYY-MM-DD`: the oldest and the newest of them. */
  readonly first: string;
  readonly last: string;
  readonly count: number;
  /** Until when the journal is closed, or when it began; Unix milliseconds. */
  readonly since: number;
}

/**
 * The overdue days; undefined without any. `nextCloseAt`: when today is closed, by which the
 * schedule of the days before is known. Days are closed in order.
 */
export async function readOverdueDays(
  reads: JournalDayReads,
  { now, timezone, nextCloseAt }: DayClock & { readonly nextCloseAt: number },
): Promise<OverdueDays | undefined> {
  const [last, firstAt] = await Promise.all([reads.lastClose(), reads.firstRecordedAt()]);
  const since = last?.cutOffAt ?? firstAt;
  if (since === null || !Number.isFinite(nextCloseAt)) return undefined;
  const first = last === undefined ? dayAt(since, timezone) : dayMoved(last.day, 1);
  const daysNotDue = Math.max(0, Math.ceil((nextCloseAt + CLOSE_MS_MAX - DAY_MS - now) / DAY_MS));
  const newest = dayMoved(dayAt(now, timezone), -1 - daysNotDue);
  if (newest < first) return undefined;
  const count = 1 + Math.round((Date.parse(newest) - Date.parse(first)) / DAY_MS);
  return { first, last: newest, count, since };
}
