import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Amount } from '../../../src/domain/money/amount.ts';
import { reclassifiedOf } from '../../../src/domain/close/reclassified.ts';
import { CATEGORIES, NO_EFFECTS, type Effects } from '../../../src/domain/money/roll-forward.ts';

type Some = Partial<Record<keyof Effects, bigint>>;

function effects(some: Some): Effects {
  const amounts = Object.entries(some).map(([name, amount]) => [name, Amount(amount)]);
  return { ...NO_EFFECTS, ...(Object.fromEntries(amounts) as Partial<Effects>) };
}

const CASES: [why: string, before: Some, change: Some, are: string[]][] = [
  [
    'a deposit that is an own transfer',
    { deposits: 5n },
    { deposits: -5n, internal: 5n },
    ['5 from deposits to internal'],
  ],
  [
    'a withdrawal that is an own transfer keeps the sign of what left the vault',
    { withdrawals: -111n },
    { withdrawals: 111n, internal: -111n },
    ['-111 from withdrawals to internal'],
  ],
  [
    'a part of a withdrawal',
    { withdrawals: -100n },
    { withdrawals: 30n, change: -30n },
    ['-30 from withdrawals to change'],
  ],
  [
    'an own transfer that is a deposit after all',
    { internal: 5n },
    { internal: -5n, deposits: 5n },
    ['5 from internal to deposits'],
  ],
  [
    'a withdrawal of which a part came back and a part went to an own vault',
    { withdrawals: -100n },
    { withdrawals: 70n, change: -30n, internal: -40n },
    ['-40 from withdrawals to internal', '-30 from withdrawals to change'],
  ],
  [
    'two categories that join one',
    { deposits: 5n, rebates: 3n },
    { deposits: -5n, rebates: -3n, internal: 8n },
    ['5 from deposits to internal', '3 from rebates to internal'],
  ],
  [
    'no more than what left: the rest is new',
    { deposits: 5n },
    { deposits: -5n, mints: 2n, internal: 7n },
    ['2 from deposits to mints', '3 from deposits to internal'],
  ],
  [
    'no more than what joined: the rest is gone',
    { withdrawals: -9n },
    { withdrawals: 9n, internal: -4n },
    ['-4 from withdrawals to internal'],
  ],
  [
    'no more than what left a debit',
    { withdrawals: -4n },
    { withdrawals: 4n, internal: -9n },
    ['-4 from withdrawals to internal'],
  ],
  [
    'a debit never joins a credit',
    { withdrawals: -9n, deposits: 5n },
    { withdrawals: 9n, deposits: -5n, internal: -9n, adjustments: 5n },
    ['5 from deposits to adjustments', '-9 from withdrawals to internal'],
  ],
  [
    'a debit that is gone, beside a new credit',
    { withdrawals: -9n },
    { withdrawals: 9n, mints: 9n },
    [],
  ],
  ['what grew in its own category', { deposits: 5n }, { deposits: 2n }, []],
  ['nothing', { deposits: 5n }, {}, []],
];

test.for(CASES)('%s', ([, before, change, are]) => {
  const found = reclassifiedOf(effects(before), effects(change));
  expect(found.map(({ from, to, amount }) => `${amount} from ${from} to ${to}`)).toEqual(are);
});

test('a closed day’s reclassified credits are named in full, and tie by category', () => {
  const credits = fc.array(fc.bigInt({ min: 0n, max: 10n ** 24n }), {
    minLength: CATEGORIES.length,
    maxLength: CATEGORIES.length,
  });
  const sorted = (amounts: readonly bigint[]): Effects =>
    effects(
      Object.fromEntries(CATEGORIES.map((category, index) => [category, amounts[index] ?? 0n])),
    );
  fc.assert(
    fc.property(
      credits,
      fc.shuffledSubarray([...CATEGORIES], { minLength: 8 }),
      (amounts, order) => {
        const before = sorted(amounts);
        const after = sorted(order.map((category) => before[category]));
        const change = effects(
          Object.fromEntries(
            CATEGORIES.map((category) => [category, after[category] - before[category]]),
          ),
        );
        const tally = Object.fromEntries(CATEGORIES.map((category) => [category, 0n]));
        for (const { from, to, amount } of reclassifiedOf(before, change)) {
          tally[from] = (tally[from] ?? 0n) - amount;
          tally[to] = (tally[to] ?? 0n) + amount;
        }
        expect(tally).toEqual(change);
      },
    ),
  );
});
