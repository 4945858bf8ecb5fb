/**
 * The credit feed as consumers number it. A store that is restored from a backup goes on with
 * another history than the one that consumers may have read: what follows a restore has places of its
 * own, so that a place of the lost history is never mistaken for one of this.
 */

/** Places between one restore and the next. */
const PLACES = 1_000_000_000;

/**
 * The place of the feed's item number `feedSeq`, counted from 1 without gaps. `restoredAfter`: how
 * many items the feed had at each restore.
 */
export function placeOf(feedSeq: number, restoredAfter: readonly number[]): number {
  return restoredAfter.filter((after) => after < feedSeq).length * PLACES + feedSeq;
}

/** The number of the item at a place, 0 for the feed's beginning; null for a lost history's place. */
export function feedSeqAt(place: number, restoredAfter: readonly number[]): number | null {
  const feedSeq = place % PLACES;
  return placeOf(feedSeq, restoredAfter) === place ? feedSeq : null;
}
