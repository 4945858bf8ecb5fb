/**
 * Compares two texts by their UTF-16 code units, as `<` does. Negative when `left` comes first, 0
 * when both are equal. Journal effects depend on this order: a replay must repeat it.
 */
export function byCodeUnit(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
