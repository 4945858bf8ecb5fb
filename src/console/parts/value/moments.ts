const DAY_MS = 86_400_000;

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?Z$/;

/** The beginning of the UTC day of a moment, Unix milliseconds. */
export function dayStartOf(at: number): number {
  return Math.floor(at / DAY_MS) * DAY_MS;
}

/** `2025-11-20` */
export function dayText(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** A moment in ISO 8601, as files have it; null for none. */
export function isoTime(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

/** The moment so many days later. */
export function daysAfter(at: number, days: number): number {
  return at + days * DAY_MS;
}

/**
 * A UTC day as `2025-11-20`, or a moment as `2025-11-20T01:02:03Z`. Unix milliseconds; `end` is the
 * first moment after a day. A moment is its own start and end.
 */
export interface DayOrMoment {
  readonly kind: 'day' | 'moment';
  readonly start: number;
  readonly end: number;
}

/** Reads a day or a moment; undefined for other text, and for a day that no calendar has. */
export function dayOrMoment(text: string): DayOrMoment | undefined {
  if (!DAY.test(text) && !MOMENT.test(text)) return undefined;
  const at = Date.parse(text);
  // `Date.parse` turns 31 November into 1 December.
  if (Number.isNaN(at) || dayText(at) !== text.slice(0, 10)) return undefined;
  return DAY.test(text)
    ? { kind: 'day', start: at, end: daysAfter(at, 1) }
    : { kind: 'moment', start: at, end: at };
}

/** The beginning of a UTC day, Unix milliseconds; undefined for text that is no day. */
export function dayIn(text: string): number | undefined {
  const day = dayOrMoment(text);
  return day?.kind === 'day' ? day.start : undefined;
}
