import fc from 'fast-check';
import { expect, test } from 'vitest';
import { KeyTail } from '../../src/store/sqlite/key-tail.ts';

/** Few fingerprints, so that they meet, and some that differ only beyond 32 bits. */
const fingerprint = fc.oneof(
  fc.nat(8),
  fc.nat(8).map((low) => 5 * 2 ** 32 + low),
  fc.nat(2 ** 40),
);
const step = fc.record({ fingerprint, row: fc.nat(3), removes: fc.boolean() });

function inOrder(rows: readonly number[]): number[] {
  return rows.toSorted((left, right) => left - right);
}

test('whatever is added and removed, a tail has the rows that a map would have', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 3_000, size: 'max' }), (steps) => {
      const tail = new KeyTail();
      const model = new Map<number, number[]>();
      for (const { fingerprint: key, row, removes } of steps) {
        const rows = model.get(key) ?? [];
        if (!removes) {
          tail.add(key, row);
          model.set(key, [...rows, row]);
          continue;
        }
        tail.remove(key, row);
        const at = rows.indexOf(row);
        if (at >= 0) model.set(key, rows.toSpliced(at, 1));
      }
      for (const [key, rows] of model) expect(inOrder(tail.get(key))).toEqual(inOrder(rows));
      const all = [...model].flatMap(([key, rows]) => rows.map(() => key));
      expect([...tail.sorted()]).toEqual(inOrder(all));
      expect(tail.size).toBe(all.length);
    }),
    { numRuns: 60 },
  );
});

test('a tail that loses as much as it gains finds an end of its search', () => {
  const tail = new KeyTail();
  for (let key = 0; key < 20_000; key += 1) {
    tail.add(key, 1);
    tail.remove(key, 1);
  }
  expect([tail.size, tail.get(7), tail.get(20_000)]).toEqual([0, [], []]);
});
