import { Cron } from 'croner';
import { Temporal } from 'temporal-polyfill';

/** A calendar day of a time zone, with its end. */
export interface CalendarDay {
  /** The local date, `YYYY-MM-DD`. */
  readonly day: string;
  /** The first instant of the next local day, Unix milliseconds. */
  readonly cutOffAt: number;
}

/** A close waits for the custody API for up to an hour. After twice that, it needs a person. */
const LATE_MS = 2 * 3_600_000;

/** Days, one after another, whose closes are so late that they need a person. */
interface OverdueDays {
  /** `YYYY-MM-DD`: the oldest and the newest of them. */
  readonly first: string;
  readonly last: string;
  readonly count: number;
  /** When the oldest of them ended, Unix milliseconds. */
  readonly since: number;
}

/**
 * Calendar days of a time zone. The zone's table says when a day begins and whether it has 23, 24
 * or 25 hours; nothing is computed by adding 24 hours.
 */
export class CloseCalendar {
  readonly timezone: string;
  readonly #pattern: string;

  constructor(options: { timezone: string; pattern: string }) {
    this.timezone = options.timezone;
    this.#pattern = options.pattern;
  }

  /** The local date at an instant. */
  dayAt(at: number): string {
    const instant = Temporal.Instant.fromEpochMilliseconds(at);
    return instant.toZonedDateTimeISO(this.timezone).toPlainDate().toString();
  }

  /** A day with its end: the first instant at which local clocks show a later date. */
  day(day: string): CalendarDay {
    const next = Temporal.PlainDate.from(day).add({ days: 1 });
    // Without a time, this is the start of the day. It is not midnight in a zone that skips
    // midnight.
    return { day, cutOffAt: next.toZonedDateTime(this.timezone).epochMilliseconds };
  }

  /** The day that begins where another ends. Skips a date that the zone left out. */
  after(ended: CalendarDay): CalendarDay {
    const next = this.day(this.dayAt(ended.cutOffAt));
    // The time zone was changed, and clocks in the new zone still show the closed day.
    return next.day > ended.day ? next : this.after(this.day(ended.day));
  }

  /**
   * The instant at which a day must be closed: the schedule's first time at or after the day's end.
   * Reads the schedule in UTC from midnight on, then looks up that local time in the zone. So a
   * skipped midnight keeps its five minutes of delay, and no clock change drops a scheduled time.
   */
  dueAt({ cutOffAt }: CalendarDay): number {
    const schedule = new Cron(this.#pattern, { timezone: 'UTC', paused: true });
    const midnight = Date.parse(`${this.dayAt(cutOffAt)}T00:00:00Z`);
    let shown = schedule.nextRun(new Date(midnight - 1_000));
    while (shown !== null && this.#instantOf(shown) < cutOffAt) shown = schedule.nextRun(shown);
    return shown === null ? Number.POSITIVE_INFINITY : this.#instantOf(shown);
  }

  /**
   * When the next close is due. Between midnight and the schedule's time, it is yesterday's close,
   * unless the journal begins later. `firstAt`: when its first fact was recorded; null: none is.
   */
  nextDueAt(nowMs: number, firstAt: number | null): number {
    const today = this.day(this.dayAt(nowMs));
    const before = Temporal.PlainDate.from(today.day).subtract({ days: 1 });
    const yesterday = this.day(before.toString());
    const first = this.dayAt(firstAt ?? nowMs);
    const days = [yesterday, today].filter(({ day }) => day >= first);
    return days.map((day) => this.dueAt(day)).find((at) => at > nowMs) ?? Infinity;
  }

  /** The overdue days from `first` on; undefined for none. */
  overdueFrom(first: string, nowMs: number): OverdueDays | undefined {
    let overdue: OverdueDays | undefined;
    let open = this.day(first);
    const since = open.cutOffAt;
    for (let count = 1; this.dueAt(open) + LATE_MS <= nowMs; count += 1) {
      overdue = { first, last: open.day, count, since };
      open = this.after(open);
    }
    return overdue;
  }

  /**
   * The first instant at which local clocks show what UTC clocks show. A skipped local time counts
   * from the clock change: 02:30 becomes half an hour after the change.
   */
  #instantOf(shown: Date): number {
    const wanted = Temporal.PlainDateTime.from(shown.toISOString().slice(0, -1));
    return wanted.toZonedDateTime(this.timezone).epochMilliseconds;
  }
}

/**
 * Says what another time zone than that of the last closed day does to the next day; undefined while
 * the zone is the same.
 */
export function changedZone(
  last: CalendarDay & { readonly timezone: string },
  calendar: CloseCalendar,
): string | undefined {
  if (last.timezone === calendar.timezone) return undefined;
  const next = calendar.after(last);
  const [begins, ends] = [last.cutOffAt, next.cutOffAt].map((at) => new Date(at).toISOString());
  return `reconcile.timezone is ${calendar.timezone}, but ${last.day} was closed in ${last.timezone}: the next day, ${next.day}, goes from ${begins} to ${ends}`;
}
