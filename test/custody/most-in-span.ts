/** Most events in any closed span. */
export function mostInSpan(timesMs: readonly number[], spanMs: number): number {
  const sorted = timesMs.toSorted((left, right) => left - right);
  let first = 0;
  let most = 0;
  for (const [last, at] of sorted.entries()) {
    while ((sorted[first] ?? 0) < at - spanMs) first += 1;
    most = Math.max(most, last - first + 1);
  }
  return most;
}
