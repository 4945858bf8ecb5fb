import { expect, test } from 'vitest';
import { byCodeUnit } from '../../src/domain/code-unit-order.ts';

test.for<[left: string, right: string, order: number]>([
  ['', '', 0],
  ['', 'a', -1],
  ['a', 'a', 0],
  ['a', 'b', -1],
  ['b', 'a', 1],
  ['a', 'aa', -1],
  ['Z', 'a', -1],
  // A surrogate pair comes before U+FFEE, unlike in the order of UTF-8 bytes.
  ['\u{1f600}', '\u{ffee}', -1],
])('%j and %j: %i', ([left, right, order]) => {
  expect(byCodeUnit(left, right)).toBe(order);
});
