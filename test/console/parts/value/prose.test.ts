import { expect, test } from 'vitest';
import { piecesOf } from '../../../../src/console/parts/value/prose.tsx';

const DECIMALS = new Map([
  ['ethereum:ETH', 18],
  ['ripple:XRP', 6],
]);

test.for([
  ['25000000 ripple:XRP was credited (crd_1)', null, '[25 XRP] was credited (crd_1)'],
  ['deposit of -500000 ripple:XRP: attribute it', null, 'deposit of [−0.5 XRP]: attribute it'],
  ['deposit of 500000 ripple:XRP with memo 88', null, 'deposit of [0.5 XRP] with memo 88'],
  [
    'the books moved 1000000000000000000 ethereum:ETH where the chain moved 999999999999999990',
    null,
    'the books moved [1 ETH] where the chain moved [0.99999999999999999 ETH]',
  ],
  [
    'ntf-7 states 2000000 ripple:XRP where 1000000 was booked',
    null,
    'ntf-7 states [2 XRP] where [1 XRP] was booked',
  ],
  [
    'the custody API says 2000000 ripple:XRP, the notifications said 0; find out who sent them',
    null,
    'the custody API says [2 XRP], the notifications said [0 XRP]; find out who sent them',
  ],
  [
    'expected none → 2000000, actual 1000000 → 3000000',
    'ripple:XRP',
    'expected none → [2 XRP], actual [1 XRP] → [3 XRP]',
  ],
  ['expected 1 → 2', null, 'expected 1 → 2'],
  [
    'the API says 1000000000000000000 ethereum:ETH, the notifications say 1500000000000000000',
    null,
    'the API says [1 ETH], the notifications say [1.5 ETH]',
  ],
  ['a number of 12 own transactions', 'ethereum:ETH', 'a number of 12 own transactions'],
  ['5 bitcoin:BTC without known decimals', null, '5 bitcoin:BTC without known decimals'],
  ['hash 0x25 and id ntf-25000000, 2025-11-20', null, 'hash 0x25 and id ntf-25000000, 2025-11-20'],
  ['at 10:25:00', null, 'at 10:25:00'],
  ['', null, ''],
] as const)('%s', ([text, asset, shown]) => {
  const pieces = piecesOf(text, asset, DECIMALS);
  expect(
    pieces.map((piece) => (piece.units === undefined ? piece.text : `[${piece.text}]`)).join(''),
  ).toBe(shown);
});
