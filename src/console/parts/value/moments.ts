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

/** The moment so many days later. */
export function daysAfter(at: number, days: number): number {
  return at + days * DAY_MS;
}

/** A UTC day as `2025-11-20`, or a moment as `2025-11-20T01:02:03Z`. */
export type DayOrMoment =
  | { readonly kind: 'day'; readonly start: number }
  | { readonly kind: 'moment'; readonly at: number };

/** Reads a day or a moment; undefined for other text, and for a day that no calendar has. */
export function dayOrMoment(text: string): DayOrMoment | undefined {
  if (!DAY.test(text) && !MOMENT.test(text)) return undefined;
  const at = Date.parse(text);
  // `Date.parse` turns 31 November into 1 December.
  if (Number.isNaN(at) || dayText(at) !== text.slice(0, 10)) return undefined;
  return DAY.test(text) ? { kind: 'day', start: at } : { kind: 'moment', at };
}

/** The beginning of a UTC day, Unix milliseconds; undefined for text that is no day. */
export function dayIn(text: string): number | undefined {
  const day = dayOrMoment(text);
  return day?.kind === 'day' ? day.start : undefined;
}

/** The first moment after a day; a moment is its own end. */
export function endOf(one: DayOrMoment): number {
  return one.kind === 'day' ? daysAfter(one.start, 1) : one.at;
}

/** The first moment of a day; a moment is its own beginning. */
export function startOf(one: DayOrMoment): number {
  return one.kind === 'day' ? one.start : one.at;
}
