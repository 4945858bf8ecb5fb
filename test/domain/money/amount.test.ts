import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  Amount,
  negated,
  parseAmount,
  plus,
  storedAmount,
} from '../../../src/domain/money/amount.ts';

test.for(['0', '-0', '1', '-1', '007', '9'.repeat(78), `-${'9'.repeat(78)}`])(
  '%s is an amount',
  (text) => {
    expect(parseAmount(text)).toBe(BigInt(text));
  },
);

const NO_AMOUNTS = [
  '',
  '-',
  '+1',
  '1.0',
  '1e3',
  ' 1',
  '1 ',
  '1\n',
  '0x10',
  '1_000',
  '٣',
  '9'.repeat(79),
];

test.for(NO_AMOUNTS)('%j is not an amount', (text) => {
  expect(parseAmount(text)).toBeUndefined();
});

test('an amount that this program wrote is read whole, and a damaged one is an error', () => {
  fc.assert(
    fc.property(fc.bigInt(), (amount) => {
      expect(storedAmount(String(amount))).toBe(amount);
    }),
  );
  for (const damaged of ['12x', '', ' ', '-', ' 12', '12 ', '0x10', '1.0', '1e3', '+1', '１']) {
    expect(() => storedAmount(damaged)).toThrow(SyntaxError);
  }
});

test('arithmetic is exact at every size', () => {
  const amount = fc.bigInt({ min: -(10n ** 78n), max: 10n ** 78n }).map((value) => Amount(value));
  fc.assert(
    fc.property(amount, amount, (left, right) => {
      expect(plus(left, right)).toBe(left + right);
      expect(plus(left, negated(right))).toBe(left - right);
    }),
  );
});
