import fc from 'fast-check';
import { expect, test } from 'vitest';
import { feedSeqAt, cursorOf } from '../../../src/domain/deposit/feed-cursor.ts';

const G = 1_000_000_000;

test.for([
  ['a feed that was never restored', [], [1, 1], [2, 2]],
  ['before a restore', [3], [3, 3]],
  ['after a restore', [3], [4, G + 4]],
  ['an empty feed that was restored', [0], [1, G + 1]],
  ['between two restores', [3, 5], [5, G + 5]],
  ['after two restores', [3, 5], [6, 2 * G + 6]],
  ['restored twice from one backup', [3, 3], [3, 3], [4, 2 * G + 4]],
] as const)('%s: each item has its cursor', ([_, restoredAfter, ...expected]) => {
  for (const [feedSeq, cursor] of expected) {
    expect(cursorOf(feedSeq, restoredAfter)).toBe(cursor);
    expect(feedSeqAt(cursor, restoredAfter)).toBe(feedSeq);
  }
});

test.for([
  ['of a history that a restore replaced', [3], 4],
  ['of one that a second restore replaced', [3, 5], G + 6],
  ['of no history at all', [], G],
] as const)('a cursor %s is none of this feed', ([_, restoredAfter, cursor]) => {
  expect(feedSeqAt(cursor, restoredAfter)).toBeNull();
});

test('the start is a cursor of every feed', () => {
  expect([feedSeqAt(0, []), feedSeqAt(0, [0]), feedSeqAt(0, [3, 5])]).toEqual([0, 0, 0]);
});

test('cursors grow with the feed, and no cursor of a lost history is one of this', () => {
  const lengths = fc.array(fc.nat({ max: 50 }), { maxLength: 5 });
  fc.assert(
    fc.property(lengths, fc.nat({ max: 50 }), (restoredAfter, lost) => {
      const cursors = Array.from({ length: 60 }, (_, index) => cursorOf(index + 1, restoredAfter));
      expect(cursors).toEqual(cursors.toSorted((left, right) => left - right));
      const before = cursorOf(lost + 1, restoredAfter);
      // Restored to `lost` items: what followed them then is not what follows them now.
      expect(feedSeqAt(before, [...restoredAfter, lost])).toBeNull();
    }),
  );
});
