import { expect, test } from 'vitest';
import {
  isInProgress,
  lacksChanges,
  sumsOf,
  type CustodyTransaction,
} from '../../../src/domain/fact/custody-record.ts';
import { AssetId } from '../../../src/domain/ids.ts';
import { balanceChange, received, sent } from '../../store/evidence.ts';

/** `ethereum:ETH 100`, an asset each, or `untold`. */
function sums(...rows: CustodyTransaction[]): string {
  const all = sumsOf(rows);
  if (all === null) return 'untold';
  return all.map(({ asset, amount }) => `${asset} ${amount}`).join(', ');
}

const UNMOVED =
  'mempool rolledback approval-pending requested inited to-sign signed submitted cancelled replaced';

test.for(UNMOVED.split(' '))('what is %s moved nothing, whatever it lists', (status) => {
  expect(sums(received({ status }))).toBe('');
  expect(sums(sent({ status, changes: null }))).toBe('');
  expect(sums(received({ status }), received())).toBe('ethereum:ETH 100');
});

test.for([
  ...'mempool approval-pending requested inited to-sign signed submitted'
    .split(' ')
    .map((status) => [status, true] as const),
  ...'confirmed mined rolledback failed cancelled replaced tomorrow'
    .split(' ')
    .map((status) => [status, false] as const),
])('whether %s is in progress: %s', ([status, is]) => {
  expect(isInProgress({ status })).toBe(is);
});

const ROWS: [what: string, rows: CustodyTransaction[], are: string][] = [
  ['nothing', [], ''],
  ['a receipt', [received()], 'ethereum:ETH 100'],
  ['a withdrawal with its fee', [sent()], 'ethereum:ETH -32'],
  ['a transfer between own addresses', [received(), sent()], 'ethereum:ETH 68'],
  [
    'two assets',
    [received(), received({ changes: [balanceChange(5n, { asset: AssetId('X') })] })],
    'ethereum:ETH 100, X 5',
  ],
  ['a receipt of which the changes are omitted', [received({ changes: null })], 'untold'],
  ['the same beside another', [received(), received({ changes: null })], 'untold'],
  ['a failed transaction, which may have burned a fee', [sent({ status: 'failed' })], 'untold'],
  ['a status of tomorrow', [received({ status: 'frozen' })], 'untold'],
  ['a receipt with the status of a withdrawal', [received({ status: 'mined' })], 'untold'],
  ['a withdrawal with the status of a receipt', [sent({ status: 'confirmed' })], 'untold'],
];

test.for(ROWS)('of %s', ([, rows, are]) => {
  expect(sums(...rows)).toBe(are);
});

test.for<[what: string, row: CustodyTransaction, lacks: boolean]>([
  ['a mined withdrawal without changes', sent({ changes: null }), true],
  ['a mined withdrawal with changes', sent(), false],
  ['a mined withdrawal that lists none', sent({ changes: [] }), false],
  ['a failed withdrawal', sent({ status: 'failed', changes: null }), false],
  ['a receipt that is confirmed', received({ changes: null }), true],
  ['a receipt in the mempool', received({ status: 'mempool', changes: null }), false],
  [
    'a receipt with the status of a withdrawal',
    received({ status: 'mined', changes: null }),
    false,
  ],
  ['a withdrawal of a receipt’s status', sent({ status: 'confirmed', changes: null }), false],
])('the API has not published the changes of %s: %s', ([, row, lacks]) => {
  expect(lacksChanges(row)).toBe(lacks);
});
