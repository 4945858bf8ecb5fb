/**
 * Compares two texts by their UTF-8 bytes, as SQLite and other databases do without a collation.
 * Negative when `left` comes first.
 */
export function byUtf8(left: string, right: string): number {
  if (left === right) return 0;
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at += 1) {
    const apart = (left.codePointAt(at) ?? 0) - (right.codePointAt(at) ?? 0);
    if (apart !== 0) return apart;
  }
  return left.length - right.length;
}
