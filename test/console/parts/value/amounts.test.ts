import { expect, test } from 'vitest';
import type { Decimals } from '../../../../src/pages/parts/value/amount.tsx';
import { amountsIn } from '../../../../src/console/parts/value/amounts.ts';

const DECIMALS = new Map([
  ['ethereum:ETH', 18],
  ['ripple:XRP', 6],
  ['polygon:ETH', 2],
]);

/** What a text means, of every asset or of one. */
function shown(text: string, about: { decimals?: Decimals; asset?: string } = {}): string[] {
  const meant = amountsIn(text, { decimals: DECIMALS, ...about });
  return meant.map(({ asset, amount }) => `${amount} ${asset}`);
}

const LONGEST = '9'.repeat(78);

test.for([
  [`${LONGEST} ripple:XRP`, [`${LONGEST}000000 ripple:XRP`, `${LONGEST} ripple:XRP`]],
  ['1.5 XRP', ['1500000 ripple:XRP']],
  ['1.5 xrp', ['1500000 ripple:XRP']],
  ['1.5 ripple:XRP', ['1500000 ripple:XRP']],
  ['1.5XRP', ['1500000 ripple:XRP']],
  ['xrp 1.5', ['1500000 ripple:XRP']],
  ['ripple:XRP 1,500.25', ['1500250000 ripple:XRP']],
  ['XRP 1.5 XRP', []],
  ['2 XRP', ['2000000 ripple:XRP', '2 ripple:XRP']],
  ['1.50 ETH', ['1500000000000000000 ethereum:ETH', '150 polygon:ETH']],
  ['1,500.25 XRP', ['1500250000 ripple:XRP']],
  ['1\u202F500.25 XRP', ['1500250000 ripple:XRP']],
  ['1 500.25 XRP', ['1500250000 ripple:XRP']],
  ['0.0000001 XRP', []],
  ['1.5 DOGE', []],
  ['0.001', ['1000000000000000 ethereum:ETH', '1000 ripple:XRP']],
  ['customer 7', []],
  ['1.5.6', []],
  ['-1.5 XRP', []],
  ['', []],
] as const)('%s means %j', ([text, amounts]) => {
  expect(shown(text)).toEqual(amounts);
});

const MANY = new Map(
  Array.from({ length: 600 }, (_, index) => [`ethereum:0x${index}`, 2] as const),
);

test.for([
  ['1.5', 'ripple:XRP', ['1500000 ripple:XRP']],
  ['1.5 XRP', 'ripple:XRP', ['1500000 ripple:XRP']],
  ['1.5 XRP', 'ethereum:ETH', []],
  ['77', 'sui:SUI', ['77 sui:SUI', '77 sui:SUI']],
  ['1.5', 'sui:SUI', []],
] as const)('%s of the asset %s alone means %j', ([text, asset, amounts]) => {
  expect(shown(text, { asset })).toEqual(amounts);
});

test('an asset is found behind any number of others', () => {
  expect(shown('1.5', { decimals: MANY, asset: 'ethereum:0x599' })).toEqual(['150 ethereum:0x599']);
});
