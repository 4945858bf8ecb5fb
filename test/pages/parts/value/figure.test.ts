import { expect, test } from 'vitest';
import { Amount } from '../../../../src/domain/money/amount.ts';
import {
  decimalText,
  grouped,
  momentText,
  shortened,
  spanText,
} from '../../../../src/pages/parts/value/figure.ts';

const SIXTY = 123456789012345678901234567890123456789012345678901234567890n;

const DECIMALS: [amount: bigint, decimals: number, text: string][] = [
  [0n, 18, '0'],
  [1n, 18, '0.000000000000000001'],
  [1_500_000_000_000_000_000n, 18, '1.5'],
  [-1_500_000_000_000_000_000n, 18, '−1.5'],
  [-1n, 8, '−0.00000001'],
  [100_000_000n, 8, '1'],
  [1_234_567n, 0, '1_234_567'],
  [1_000_000n, 6, '1'],
  [9_007_199_254_740_993n, 0, '9_007_199_254_740_993'],
  [SIXTY, 18, '123_456_789_012_345_678_901_234_567_890_123_456_789_012.34567890123456789'],
];

test.for(DECIMALS)('%d at %d decimals reads %s', ([amount, decimals, text]) => {
  expect(decimalText(Amount(amount), decimals).replaceAll('\u202F', '_')).toBe(text);
});

test.for([
  ['1', '1'],
  ['123', '123'],
  ['1234', '1_234'],
  ['123456789', '123_456_789'],
])('%s is grouped as %s', ([digits, text]) => {
  expect(grouped(digits ?? '').replaceAll('\u202F', '_')).toBe(text);
});

test.for([
  [-5_000, '0 s'],
  [0, '0 s'],
  [999, '0 s'],
  [59_999, '59 s'],
  [60_000, '1 min'],
  [3_599_999, '59 min'],
  [3_600_000, '1 h'],
  [86_400_000, '1 d'],
  [864_000_000, '10 d'],
] as const)('%d ms is %s', ([ms, text]) => {
  expect(spanText(ms)).toBe(text);
});

test('a moment is shown in UTC', () => {
  expect(momentText(Date.UTC(2025, 10, 20, 1, 2, 3, 4))).toBe('2025-11-20 01:02:03 UTC');
});

test('a long hash keeps its ends', () => {
  expect(shortened('0x6707f1f24135b20294ee49dfb46291f8')).toBe('0x6707f1…6291f8');
  expect(shortened('ethereum:USDC')).toBe('ethereum:USDC');
});
