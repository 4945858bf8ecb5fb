const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** A configured time span in the largest exact unit: `6 h`, `90 min`, `1500 ms`. */
export function durationText(ms: number): string {
  const exact = UNITS.find(([, size]) => ms >= size && ms % size === 0);
  return exact === undefined ? `${ms} ms` : `${ms / exact[1]} ${exact[0]}`;
}
