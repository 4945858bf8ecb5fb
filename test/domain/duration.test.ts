import { expect, test } from 'vitest';
import { durationText } from '../../src/domain/duration.ts';

test.for([
  [86_400_000, '1 d'],
  [21_600_000, '6 h'],
  [90_000_000, '25 h'],
  [5_400_000, '90 min'],
  [61_000, '61 s'],
  [1_500, '1500 ms'],
  [0, '0 ms'],
] as const)('%d ms is %s', ([ms, text]) => {
  expect(durationText(ms)).toBe(text);
});
