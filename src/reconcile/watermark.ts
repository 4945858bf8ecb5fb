/** How long rows that cannot be compared keep the watermark from passing them. */
const REREAD_MS_MAX = 86_400_000;

/**
 * From where rows must be read again, by when each of them changed (null: it need not be), Infinity
 * for none: for a day at most, since one that never can be compared must not hold the watermark for
 * ever.
 */
export function rereadFromOf(times: Iterable<number | null>, reached: number): number {
  let oldest = Infinity;
  for (const at of times) {
    if (at !== null && isReread(at, reached)) oldest = Math.min(oldest, at);
  }
  return oldest;
}

/** Whether a row that changed then is still compared again. */
export function isReread(changedAt: number, reached: number): boolean {
  return changedAt > reached - REREAD_MS_MAX;
}

/** The newest row, but not past now: a row with a wrong clock must not end every later list at once. */
export function reachedBy(newest: number | null, now: number): number {
  return Math.min(newest ?? now, now);
}

/** Up to where the list is done with: not past rows that must be read again. */
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
