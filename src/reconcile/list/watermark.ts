/** How long a row that cannot be compared holds back the watermark. */
const REREAD_MS_MAX = 86_400_000;

/** The time from which these rows must be read again; Infinity for none. */
export function rereadFromOf(rows: Iterable<{ readonly updatedAt: number }>): number {
  let oldest = Infinity;
  for (const { updatedAt } of rows) oldest = Math.min(oldest, updatedAt);
  return oldest;
}

/** Whether a row that changed at this time is still compared again. */
export function isReread(changedAt: number, reached: number): boolean {
  return changedAt > reached - REREAD_MS_MAX;
}

/** The newest row's time, at most `now`: a row with a wrong clock must not end all later readings. */
export function reachedBy(newest: number | null, now: number): number {
  return Math.min(newest ?? now, now);
}

/** The time up to which the list needs no second reading. */
export function watermarkOf(context: {
  known: number | null;
  newest: number | null;
  rereadFrom: number;
  now: number;
}): number | null {
  const { known, newest, rereadFrom, now } = context;
  if (newest === null) return known;
  return Math.max(known ?? Number.NEGATIVE_INFINITY, Math.min(reachedBy(newest, now), rereadFrom));
}
