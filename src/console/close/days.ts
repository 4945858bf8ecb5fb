import type { SignedDay } from '../../store/answers.ts';
import type { Reads } from '../../store/reads.ts';
import {
  nextDay,
  readJournalDays,
  type DayClock,
  type JournalDays,
} from '../parts/journal-days.ts';
import { dayIn } from '../parts/value/moments.ts';

/**
 * The state of a day in the calendar.
 *
 * | state | is |
 * |---|---|
 * | `closed` | its report is sealed |
 * | `due` | it has ended, and nobody has closed it |
 * | `open` | it is today |
 * | `none` | the journal has nothing of it: before the first fact, or in the future |
 */
export type DayState =
  | { readonly kind: 'closed'; readonly closed: SignedDay }
  | { readonly kind: 'due' | 'open' | 'none' };

export type CalendarDay = DayState & { readonly day: string };

/** A month of the calendar, as weeks from Monday to Sunday; null outside the month. */
export interface Month {
  /** `YYYY-MM`. */
  readonly month: string;
  readonly timezone: string;
  readonly weeks: readonly (readonly (CalendarDay | null)[])[];
  /** The days that have a state, newest first. */
  readonly days: readonly CalendarDay[];
  /** Null where the calendar begins or ends. */
  readonly before: string | null;
  readonly after: string | null;
}

const WEEK_DAYS = 7;
/** Closed days that one query reads. */
const PAGE_SIZE = 200;

/** Whether a text is a calendar date; 2025-02-30 is none. */
export function isDay(text: string): boolean {
  return dayIn(text) !== undefined;
}

function monthMoved(month: string, months: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 + months, 1)).toISOString().slice(0, 7);
}

type DayReads = Pick<Reads, 'closes' | 'firstRecordedAt'>;

/** The state of a day without a close. */
function unclosed(
  { first, today }: JournalDays,
  day: string,
): Exclude<DayState, { kind: 'closed' }> {
  if (first === undefined || day < first || day > today) return { kind: 'none' };
  return { kind: day === today ? 'open' : 'due' };
}

/** The closed days of a month. Reads pages from the newest day until the month has begun. */
async function closesOf(reads: DayReads, month: string): Promise<Map<string, SignedDay>> {
  const found = new Map<string, SignedDay>();
  for (let page = 0; ; page += 1) {
    const { items, total } = await reads.closes({ page, pageSize: PAGE_SIZE });
    for (const one of items) {
      if (one.close.day.startsWith(month)) found.set(one.close.day, one);
    }
    const oldest = items.at(-1)?.close.day;
    const isLast = (page + 1) * PAGE_SIZE >= total;
    if (oldest === undefined || oldest < `${month}-01` || isLast) return found;
  }
}

function weeksOf(days: readonly CalendarDay[]): (CalendarDay | null)[][] {
  const [first] = days;
  if (first === undefined) return [];
  const leading = (new Date(`${first.day}T00:00:00Z`).getUTCDay() + WEEK_DAYS - 1) % WEEK_DAYS;
  const cells: (CalendarDay | null)[] = [...Array.from({ length: leading }, () => null), ...days];
  while (cells.length % WEEK_DAYS !== 0) cells.push(null);
  return Array.from({ length: cells.length / WEEK_DAYS }, (_, week) =>
    cells.slice(week * WEEK_DAYS, (week + 1) * WEEK_DAYS),
  );
}

/** One month of the calendar; the current month for anything but `YYYY-MM`. */
export async function readMonth(
  reads: DayReads,
  asked: string | undefined,
  clock: DayClock,
): Promise<Month> {
  const span = await readJournalDays(reads, clock);
  const isMonth = asked !== undefined && isDay(`${asked}-01`);
  const month = isMonth ? asked : span.today.slice(0, 7);
  const closes = await closesOf(reads, month);
  const days: CalendarDay[] = [];
  for (let day = `${month}-01`; day.startsWith(month); day = nextDay(day)) {
    const closed = closes.get(day);
    days.push(
      closed === undefined ? { day, ...unclosed(span, day) } : { day, kind: 'closed', closed },
    );
  }
  const first = (span.first ?? span.today).slice(0, 7);
  return {
    month,
    timezone: span.timezone,
    weeks: weeksOf(days),
    days: days.filter(({ kind }) => kind !== 'none').toReversed(),
    before: month > first ? monthMoved(month, -1) : null,
    after: month < span.today.slice(0, 7) ? monthMoved(month, 1) : null,
  };
}

/** The state of a day that is not closed; `ahead`: it has not begun. */
export async function readUnclosedDay(
  reads: DayReads,
  day: string,
  clock: DayClock,
): Promise<{ kind: 'due' | 'open' | 'none' | 'ahead'; timezone: string }> {
  const span = await readJournalDays(reads, clock);
  const { timezone } = span;
  return day > span.today ? { kind: 'ahead', timezone } : { ...unclosed(span, day), timezone };
}
