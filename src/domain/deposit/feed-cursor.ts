/**
 * Cursors of the credit feed. A store restored from a backup continues with another history than
 * its consumers may have read. Items after a restore have cursors of their own, so a cursor of the
 * lost history never matches an item of this one.
 */

/** Cursors between two restores. */
const CURSORS = 1_000_000_000;

/**
 * The cursor of feed item `feedSeq`, counted from 1 without gaps. `restoredAfter`: the feed's
 * length at each restore.
 */
export function cursorOf(feedSeq: number, restoredAfter: readonly number[]): number {
  return restoredAfter.filter((after) => after < feedSeq).length * CURSORS + feedSeq;
}

/**
 * The number of the item at a cursor, 0 for the feed's start; null for a cursor of a lost history.
 */
export function feedSeqAt(cursor: number, restoredAfter: readonly number[]): number | null {
  const feedSeq = cursor % CURSORS;
  return cursorOf(feedSeq, restoredAfter) === cursor ? feedSeq : null;
}
