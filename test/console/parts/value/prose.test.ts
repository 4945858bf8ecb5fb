import { expect, test } from 'vitest';
import { Prose } from '../../../../src/console/parts/value/prose.tsx';
import { htmlOf } from '../../console-under-test.ts';

test('a sentence shows its amounts in the unit of their asset, and smallest units in the title', async () => {
  const text = 'books say -25500000 ripple:XRP, the chain says 1234000000, at 10:25:00';
  const decimals = new Map([['ripple:XRP', 6]]);
  expect(await htmlOf(Prose({ text, asset: null, decimals }))).toBe(
    'books say <data value="-25500000" title="-25500000 in the smallest unit">−25.5 XRP</data>, the chain says <data value="1234000000" title="1234000000 in the smallest unit">1\u202F234 XRP</data>, at 10:25:00',
  );
});
