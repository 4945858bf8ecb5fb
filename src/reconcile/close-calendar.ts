import { Cron } from 'croner';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The widest offsets that a zone has had from UTC, with room to spare. */
const OFFSET_MS_MAX = 16 * HOUR_MS;

/** A day that ended in a time zone. */
export interface CalendarDay {
  /** `YYYY-MM-DD` there. */
  readonly day: string;
  /** The first instant of the next day there, Unix milliseconds. */
  readonly cutOffAt: number;
}

/**
 * Days of a time zone as its clocks show them. What is midnight, and how long a day is (23 or 25
 * hours when the clocks change), is asked of the zone's own table, never computed.
 */
export class CloseCalendar {
  readonly timezone: string;
  readonly #pattern: string;
  readonly #format: Intl.DateTimeFormat;

  constructor(options: { timezone: string; pattern: string }) {
    this.timezone = options.timezone;
    this.#pattern = options.pattern;
    this.#format = new Intl.DateTimeFormat('en', {
      timeZone: options.timezone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
    });
  }

  /** The date on the clocks there at an instant. */
  dayAt(at: number): string {
    return new Date(this.#shownAt(at)).toISOString().slice(0, 10);
  }

  /** A day with its end: the first instant at which the clocks show a later date. */
  day(day: string): CalendarDay {
    const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
    const nextMidnightUtc = Date.UTC(year, month - 1, date + 1);
    let before = nextMidnightUtc - OFFSET_MS_MAX;
    let after = nextMidnightUtc + OFFSET_MS_MAX;
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      if (this.dayAt(middle) > day) after = middle;
      else before = middle;
    }
    return { day, cutOffAt: after };
  }

  /** The day that begins where another ends; a date that the zone skipped is no day. */
  after(ended: CalendarDay): CalendarDay {
    const next = this.day(this.dayAt(ended.cutOffAt));
    // The time zone was changed to one whose clocks still show the closed day.
    return next.day > ended.day ? next : this.after(this.day(ended.day));
  }

  /**
   * When a day is to be closed: the schedule's first time at or after its end. The schedule is read
   * on clocks that never change, from midnight on, and its time is then looked up in the zone. So a
   * midnight that the zone skips keeps the five minutes after it, and no change of the clocks drops
   * a time of the schedule.
   */
  dueAt({ cutOffAt }: CalendarDay): number {
    const schedule = new Cron(this.#pattern, { timezone: 'UTC', paused: true });
    const midnight = Date.parse(`${this.dayAt(cutOffAt)}T00:00:00Z`);
    let shown = schedule.nextRun(new Date(midnight - 1_000));
    while (shown !== null && this.#instantOf(shown.getTime()) < cutOffAt) {
      shown = schedule.nextRun(shown);
    }
    return shown === null ? Number.POSITIVE_INFINITY : this.#instantOf(shown.getTime());
  }

  /** What the clocks there show at an instant, as the instant at which UTC's clocks show the same. */
  #shownAt(at: number): number {
    const parts = new Map(
      this.#format.formatToParts(at).map(({ type, value }) => [type, Number(value)] as const),
    );
    const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
    const [year, month, day] = [part('year'), part('month') - 1, part('day')];
    return Date.UTC(year, month, day, part('hour'), part('minute'), part('second'));
  }

  /**
   * The first instant at which the clocks show this. A time that they skip is as long after the
   * change as it would have been without the change.
   */
  #instantOf(shown: number): number {
    const byOffsetAt = (near: number): number => shown - (this.#shownAt(near) - near);
    const before = byOffsetAt(shown - DAY_MS);
    const after = byOffsetAt(shown + DAY_MS);
    return this.#shownAt(before) !== shown && this.#shownAt(after) === shown ? after : before;
  }
}
