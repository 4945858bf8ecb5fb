import { Temporal } from 'temporal-polyfill';
import type { Reads } from '../../store/reads.ts';

const DAY_MS = 86_400_000;

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
  /** When the oldest of them ended, Unix milliseconds. */
  readonly since: number;
}

/** The overdue days; undefined without any. `newest`: the newest of them. Days are closed in order. */
export async function readOverdueDays(
  reads: JournalDayReads,
  { newest, timezone }: { readonly newest: string | null; readonly timezone: string },
): Promise<OverdueDays | undefined> {
  const [last, firstAt] = await Promise.all([reads.lastClose(), reads.firstRecordedAt()]);
  if (firstAt === null || newest === null) return undefined;
  const first = last === undefined ? dayAt(firstAt, timezone) : dayMoved(last.day, 1);
  if (newest < first) return undefined;
  const [from, to] = [Temporal.PlainDate.from(first), Temporal.PlainDate.from(newest)];
  const end = from.add({ days: 1 }).toZonedDateTime(timezone);
  return { first, last: newest, count: 1 + from.until(to).days, since: end.epochMilliseconds };
}
