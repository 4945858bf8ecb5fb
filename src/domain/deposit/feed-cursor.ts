/**
 * Cursors of the credit feed. A store restored from a backup continues with another history than
 * its consumers may have read. Each history has cursors of its own, so a cursor of a lost history
 * never matches an item of this one.
 */

/** Cursors of one history. */
const CURSORS = 1_000_000_000;

const MINUTE_MS = 60_000;
const NUMBERED_SINCE = Date.UTC(2026, 0, 1);

/**
 * The highest number that the clock gives, in February 2043. Histories after it are counted. The
 * cursors of 7,000 more are still exact numbers in JSON.
 */
const NUMBERED_MAX = 9_000_000;

/** A restore: the feed's items after the first `feedLength` belong to the history with this number. */
export interface FeedRestore {
  readonly feedLength: number;
  readonly history: number;
}

/**
 * The least number of the history that begins with a restore at `at`, Unix milliseconds. A backup
 * does not know how often it was restored. So the clock numbers a history, by minutes. `replaced`:
 * the number of the last history in the replaced store; it counts when the clock gives no higher one.
 */
export function historyAt(at: number, replaced: number): number {
  const minutes = Math.floor((at - NUMBERED_SINCE) / MINUTE_MS);
  return Math.max(replaced + 1, Math.min(minutes, NUMBERED_MAX));
}

/** The cursor of feed item `feedSeq`, counted from 1 without gaps. `restores`: oldest first. */
export function cursorOf(feedSeq: number, restores: readonly FeedRestore[]): number {
  const restore = restores.findLast(({ feedLength }) => feedLength < feedSeq);
  return (restore?.history ?? 0) * CURSORS + feedSeq;
}

/**
 * The number of the item at a cursor, 0 for the feed's start; null for a cursor of a lost history.
 */
export function feedSeqAt(cursor: number, restores: readonly FeedRestore[]): number | null {
  const feedSeq = cursor % CURSORS;
  return cursorOf(feedSeq, restores) === cursor ? feedSeq : null;
}
