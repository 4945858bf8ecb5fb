import { expect, test } from 'vitest';
import { piecesOf } from '../../../../src/console/parts/value/prose.tsx';

const DECIMALS = new Map([
  ['ethereum:ETH', 18],
  ['ripple:XRP', 6],
]);
const ETH = { asset: 'ethereum:ETH', amounts: [1_500_000_000_000_000_000n, null] };
const NOTHING = { asset: null, amounts: [] };

test.for([
  ['25000000 ripple:XRP was credited (crd_1)', NOTHING, '[25 XRP] was credited (crd_1)'],
  ['deposit of -500000 ripple:XRP: attribute it', NOTHING, 'deposit of [−0.5 XRP]: attribute it'],
  [
    'the API says 1000000000000000000 ethereum:ETH, the notifications say 1500000000000000000',
    ETH,
    'the API says [1 ETH], the notifications say [1.5 ETH]',
  ],
  ['a number of 12 own transactions', ETH, 'a number of 12 own transactions'],
  ['5 bitcoin:BTC without known decimals', NOTHING, '5 bitcoin:BTC without known decimals'],
  ['hash 0x25 and id ntf-25000000, 2025-11-20', ETH, 'hash 0x25 and id ntf-25000000, 2025-11-20'],
  ['at 10:25:00', NOTHING, 'at 10:25:00'],
  ['', NOTHING, ''],
] as const)('%s', ([text, about, shown]) => {
  const pieces = piecesOf(text, about, DECIMALS);
  expect(
    pieces.map((piece) => (piece.units === undefined ? piece.text : `[${piece.text}]`)).join(''),
  ).toBe(shown);
});
