/** A date, perhaps with a time, perhaps with the time's zone. */
const ISO_8601 =
  /^\d{4}-\d{2}-\d{2}(?<time>[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?<zone>Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;

/**
 * A time of the custody API, ISO 8601, as Unix milliseconds; null when unreadable. The
 * specification names no zone, so a time without one is in UTC. `Date.parse` alone would take the
 * zone of this machine: two receivers could then read one answer differently. A text in another form
 * is unreadable for the same reason.
 */
export function timeOf(text: string): number | null {
  const groups = ISO_8601.exec(text)?.groups;
  if (groups === undefined) return null;
  const isWithoutZone = groups['time'] !== undefined && groups['zone'] === undefined;
  const time = Date.parse(isWithoutZone ? `${text}Z` : text);
  return Number.isNaN(time) ? null : time;
}
