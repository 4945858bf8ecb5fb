import { Cron } from 'croner';

const HOUR_MS = 3_600_000;
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
    });
  }

  /** The date on the clocks there at an instant. */
  dayAt(at: number): string {
    const parts = new Map(
      this.#format.formatToParts(at).map(({ type, value }) => [type, value] as const),
    );
    const year = (parts.get('year') ?? '').padStart(4, '0');
    return `${year}-${parts.get('month') ?? ''}-${parts.get('day') ?? ''}`;
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

  /** When a day is to be closed: the schedule's first time at or after its end. */
  dueAt({ cutOffAt }: CalendarDay): number {
    const schedule = new Cron(this.#pattern, { timezone: this.timezone, paused: true });
    const due = schedule.nextRun(new Date(cutOffAt - 1_000));
    return due?.getTime() ?? Number.POSITIVE_INFINITY;
  }
}
