import fc from 'fast-check';
import { expect, test } from 'vitest';
import { byUtf8 } from '../../src/store/text-order.ts';

test('texts are in the order of their UTF-8 bytes', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '\u{ffee}', '\u{1f600}', '0') });
  fc.assert(
    fc.property(text, text, (left, right) => {
      const bytes = Buffer.compare(Buffer.from(left), Buffer.from(right));
      expect(Math.sign(byUtf8(left, right))).toBe(bytes);
    }),
  );
});
