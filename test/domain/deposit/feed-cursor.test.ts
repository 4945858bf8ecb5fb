import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  cursorOf,
  feedSeqAt,
  historyAt,
  type FeedRestore,
} from '../../../src/domain/deposit/feed-cursor.ts';

const G = 1_000_000_000;
const OF_2026_11_20 = 465_720;

/** Restores when the feed had so many items: the histories are counted, or numbered as given. */
function restored(lengths: readonly number[], histories?: readonly number[]): FeedRestore[] {
  return lengths.map((feedLength, index) => ({
    feedLength,
    history: histories?.[index] ?? index + 1,
  }));
}

test.for([
  ['a feed that was never restored', [], [1, 1], [2, 2]],
  ['before a restore', [3], [3, 3]],
  ['after a restore', [3], [4, G + 4]],
  ['an empty feed that was restored', [0], [1, G + 1]],
  ['between two restores', [3, 5], [5, G + 5]],
  ['after two restores', [3, 5], [6, 2 * G + 6]],
  ['restored twice from one backup', [3, 3], [3, 3], [4, 2 * G + 4]],
] as const)('%s: each item has its cursor', ([_, lengths, ...expected]) => {
  const restores = restored(lengths);
  for (const [feedSeq, cursor] of expected) {
    expect(cursorOf(feedSeq, restores)).toBe(cursor);
    expect(feedSeqAt(cursor, restores)).toBe(feedSeq);
  }
});

test('items after a restore have the number of their history in their cursor', () => {
  const restores = restored([3, 5], [1, OF_2026_11_20]);
  expect([3, 4, 6].map((feedSeq) => cursorOf(feedSeq, restores))).toEqual([
    3, 1_000_000_004, 465_720_000_000_006,
  ]);
  expect(feedSeqAt(465_720_000_000_006, restores)).toBe(6);
});

test.for([
  ['of a history that a restore replaced', [3], 4],
  ['of one that a second restore replaced', [3, 5], G + 6],
  ['of no history at all', [], G],
] as const)('a cursor %s is none of this feed', ([_, lengths, cursor]) => {
  expect(feedSeqAt(cursor, restored(lengths))).toBeNull();
});

test.for([
  ['the minutes since 2026', '2026-11-20T10:00:59Z', 0, OF_2026_11_20],
  ['the next one in the same minute', '2026-11-20T10:00:59Z', OF_2026_11_20, OF_2026_11_20 + 1],
  ['the next one by a clock that was set back', '2025-11-20T10:00:00Z', 7, 8],
  ['1 by a clock before 2026 and without a replaced store', '2025-11-20T10:00:00Z', 0, 1],
  ['the highest that the clock gives', '2060-01-01T00:00:00Z', 0, 9_000_000],
  ['counted after that', '2060-01-01T00:00:00Z', 9_000_000, 9_000_001],
] as const)('the number of a history is %s', ([_, at, replaced, history]) => {
  expect(historyAt(Date.parse(at), replaced)).toBe(history);
});

test('the cursors of seven thousand histories after 2043 are exact numbers', () => {
  const restores = restored([0], [9_007_000]);
  const last = cursorOf(G - 1, restores);
  expect([Number.isSafeInteger(last), feedSeqAt(last, restores)]).toEqual([true, G - 1]);
});

test('the start is a cursor of every feed', () => {
  const feeds = [[], [0], [3, 5]].map((lengths) => restored(lengths));
  expect(feeds.map((restores) => feedSeqAt(0, restores))).toEqual([0, 0, 0]);
});

test('cursors grow with the feed, and no cursor of a lost history is one of this', () => {
  const ascending = (numbers: number[]): number[] => numbers.toSorted((a, b) => a - b);
  const anyLengths = fc.array(fc.nat({ max: 50 }), { maxLength: 5 }).map(ascending);
  const fiveNumbers = { minLength: 5, maxLength: 5 };
  const anyHistories = fc.uniqueArray(fc.integer({ min: 1, max: 99 }), fiveNumbers).map(ascending);
  fc.assert(
    fc.property(anyLengths, anyHistories, fc.nat({ max: 50 }), (lengths, histories, lost) => {
      const restores = restored(lengths, histories);
      const cursors = Array.from({ length: 60 }, (_, index) => cursorOf(index + 1, restores));
      expect(cursors).toEqual(ascending([...new Set(cursors)]));
      const before = cursorOf(lost + 1, restores);
      // Restored to `lost` items: what followed them then is not what follows them now.
      const kept = restores.filter(({ feedLength }) => feedLength <= lost);
      expect(feedSeqAt(before, [...kept, { feedLength: lost, history: 100 }])).toBeNull();
    }),
  );
});
