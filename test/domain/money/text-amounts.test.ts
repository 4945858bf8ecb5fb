import { expect, test } from 'vitest';
import { textPieces } from '../../../src/domain/money/text-amounts.ts';

const DECIMALS = new Map<string, number | null>([
  ['ethereum:ETH', 18],
  ['ripple:XRP', 6],
  ['odd:ODD', null],
]);

test.for([
  ['25000000 ripple:XRP was credited (crd_1)', null, '[25000000 XRP 6] was credited (crd_1)'],
  ['deposit of -500000 ripple:XRP: attribute it', null, 'deposit of [-500000 XRP 6]: attribute it'],
  ['deposit of 500000 ripple:XRP with memo 88', null, 'deposit of [500000 XRP 6] with memo 88'],
  [
    'the books moved 1000000000000000000 ethereum:ETH where the chain moved 999999999999999990',
    null,
    'the books moved [1000000000000000000 ETH 18] where the chain moved [999999999999999990 ETH 18]',
  ],
  [
    'ntf-7 states 2000000 ripple:XRP where 1000000 was booked',
    null,
    'ntf-7 states [2000000 XRP 6] where [1000000 XRP 6] was booked',
  ],
  [
    'the custody API says 2000000 ripple:XRP, the notifications said 0; find out who sent them',
    null,
    'the custody API says [2000000 XRP 6], the notifications said [0 XRP 6]; find out who sent them',
  ],
  [
    'expected none → 2000000, actual 1000000 → 3000000',
    'ripple:XRP',
    'expected none → [2000000 XRP 6], actual [1000000 XRP 6] → [3000000 XRP 6]',
  ],
  ['expected 1 → 2', null, 'expected 1 → 2'],
  [
    'the API says 1000000000000000000 ethereum:ETH, the notifications say 1500000000000000000',
    null,
    'the API says [1000000000000000000 ETH 18], the notifications say [1500000000000000000 ETH 18]',
  ],
  ['a number of 12 own transactions', 'ethereum:ETH', 'a number of 12 own transactions'],
  ['5 odd:ODD without known decimals', null, '5 odd:ODD without known decimals'],
  ['5 bitcoin:BTC without known decimals', null, '5 bitcoin:BTC without known decimals'],
  ['hash 0x25 and id ntf-25000000, 2025-11-20', null, 'hash 0x25 and id ntf-25000000, 2025-11-20'],
  ['at 10:25:00', null, 'at 10:25:00'],
  [
    'v1 ethereum:ETH: -500000000000000000 apart from custody, of which 0 is on known hashes',
    null,
    'v1 ethereum:ETH: [-500000000000000000 ETH 18] apart from custody, of which [0 ETH 18] is on known hashes',
  ],
  [
    "v1 ripple:XRP: the categories move 5, the day's entries 7",
    null,
    "v1 ripple:XRP: the categories move [5 XRP 6], the day's entries [7 XRP 6]",
  ],
  ['the chain says 1000000.', 'ripple:XRP', 'the chain says [1000000 XRP 6].'],
  ['the chain says 1.5', 'ripple:XRP', 'the chain says 1.5'],
  ['the chain says 5: late', 'ripple:XRP', 'the chain says 5: late'],
  ['it was 5, apart from 3', 'ripple:XRP', 'it was 5, apart from 3'],
  ['3 differences have no explanation', null, '3 differences have no explanation'],
  ['', null, ''],
] as const)('%s', ([text, asset, shown]) => {
  const pieces = textPieces(text, asset, DECIMALS);
  expect(
    pieces
      .map((one) =>
        typeof one === 'string' ? one : `[${one.units} ${one.symbol} ${one.decimals}]`,
      )
      .join(''),
  ).toBe(shown);
});
