import { expect, test } from 'vitest';
import { ageText, scaled } from '../../src/report/figure.ts';
import { HUGE } from './report-under-test.ts';

test.for([
  ['1500000000000000000', 18, '1.500000000000000000'],
  ['-1', 18, '-0.000000000000000001'],
  ['0', 8, '0.00000000'],
  ['123', 0, '123'],
  ['123', null, '123'],
  [HUGE, 2, `1${'0'.repeat(57)}.00`],
] as const)('%s at %s decimals reads %s', ([amount, decimals, shown]) => {
  expect(scaled(amount, decimals)).toBe(shown);
});

test.for([
  [0, '0 min'],
  [1_680, '28 min'],
  [3_599, '59 min'],
  [3_600, '1 h'],
  [90_000, '1 d 1 h'],
] as const)('%i seconds are %s', ([seconds, shown]) => {
  expect(ageText(seconds)).toBe(shown);
});
