import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TwoPeriodCache } from '../../../src/store/unit/two-period-cache.ts';

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ put: fc.nat(12) }) },
  { weight: 6, arbitrary: fc.record({ ask: fc.nat(12) }) },
  { weight: 2, arbitrary: fc.constant('age' as const) },
);

test('keeps exactly the last values that were read or put in this period or the one before', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const recent = new TwoPeriodCache<number, { readonly put: number }>();
      const model = new Map<number, { value: { put: number }; period: number }>();
      const answers: unknown[] = [];
      const expected: unknown[] = [];
      let period = 0;
      for (const [put, one] of steps.entries()) {
        if (one === 'age') {
          period += 1;
          recent.age();
        } else if ('put' in one) {
          const value = { put };
          recent.set(one.put, value);
          model.set(one.put, { value, period });
        } else {
          const known = model.get(one.ask);
          const isAtHand = known !== undefined && period - known.period <= 1;
          if (isAtHand) known.period = period;
          expected.push(isAtHand ? known.value : undefined);
          answers.push(recent.get(one.ask));
        }
      }
      expect(answers).toEqual(expected);
      const ofThisPeriod = [...model.values()].filter((known) => known.period === period);
      expect(recent.size).toBe(ofThisPeriod.length);
      const atHand = [...model.values()].filter((known) => period - known.period <= 1);
      expect(recent.isEmpty).toBe(atHand.length === 0);
    }),
  );
});
