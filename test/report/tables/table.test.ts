import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Amount } from '../../../src/domain/money/amount.ts';
import { scaled } from '../../../src/report/figure.ts';
import {
  AMOUNT_FACTS,
  spreadsheetNumber,
  tableCsv,
  tableXlsx,
  type Money,
  type Table,
} from '../../../src/report/tables/table.ts';
import { csvRows, numbersOf, workbookOf } from '../reading-back.ts';

interface Row {
  readonly memo: string | null;
  readonly money: Money | null;
}

function money(amount: string, decimals: number | null): Money {
  return { amount: Amount(BigInt(amount)), decimals };
}

const ROWS: readonly Row[] = [
  { memo: '=1+1', money: money('1500000000000000000', 18) },
  { memo: 'a "b", c', money: money('-123456789012345', 2) },
  { memo: null, money: money('1234567890123456', 18) },
  { memo: '@x', money: money('77', null) },
  { memo: 'none', money: null },
];

const TABLE: Table<Row> = {
  name: 'Lines',
  rows: ROWS,
  columns: [
    { name: 'memo', text: ({ memo }) => memo },
    { name: 'amount', money: (row) => row.money },
  ],
};

test('csv: amounts in the own unit and in smallest units, and no cell runs as a formula', () => {
  expect(csvRows(tableCsv(TABLE))).toEqual([
    ['memo', 'amount', 'amountUnits'],
    [`'=1+1`, '1.500000000000000000', '1500000000000000000'],
    ['a "b", c', '-1234567890123.45', '-123456789012345'],
    ['', '0.001234567890123456', '1234567890123456'],
    [`'@x`, '', '77'],
    ['none', '', ''],
  ]);
});

test('xlsx: numbers up to fifteen digits beside the exact text', async () => {
  const body = await tableXlsx(TABLE, [['asset', '=evil()']]);
  const sheets = workbookOf(body);
  expect(sheets['About']).toEqual([
    ['asset', '=evil()'],
    ['number columns', expect.stringContaining('15 significant digits')],
    ...AMOUNT_FACTS.slice(1).map((fact) => [...fact]),
  ]);
  expect(sheets['Lines']).toEqual([
    ['memo', 'amount', 'amountExact', 'amountUnits'],
    ['=1+1', '1.500000000000000000', '1500000000000000000'],
    ['a "b", c', '-1234567890123.45', '-123456789012345'],
    ['0.001234567890123456', '1234567890123456'],
    ['@x', '77'],
    ['none'],
  ]);
  expect(numbersOf(body, 2)).toEqual(['1.5', '-1234567890123.45']);
});

test('xlsx: counts and ages are numbers, in a table and among the facts', async () => {
  const counted: Table<number> = {
    name: 'Counts',
    rows: [3, 0],
    columns: [{ name: 'ageSeconds', text: (count) => count }],
  };
  const body = await tableXlsx(counted, [['openBreaks', 7]]);
  expect(numbersOf(body, 1)).toEqual(['7']);
  expect(numbersOf(body, 2)).toEqual(['3', '0']);
});

test('xlsx: a text that no cell of Excel holds is cut, and says so; the csv has all of it', async () => {
  const memo = `${'x'.repeat(32_689)}${'😀'.repeat(5_000)}`;
  const table: Table<Row> = { ...TABLE, rows: [{ memo, money: null }] };
  const [, [cut = ''] = []] = workbookOf(await tableXlsx(table, []))['Lines'] ?? [];
  expect(cut.length).toBeLessThanOrEqual(32_767);
  expect(cut).toMatch(
    /^x+😀+ … \(cut: a cell holds 32,767 characters; CSV or JSON has the whole text\)$/u,
  );
  expect(csvRows(tableCsv(table))[1]?.[0]).toBe(memo);
});

test('a number is there only if it has exactly the digits of the amount', () => {
  const digits = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n });
  fc.assert(
    fc.property(digits, fc.integer({ min: 0, max: 20 }), (units, decimals) => {
      const number = spreadsheetNumber({ amount: Amount(units), decimals });
      const significant = units.toString().replace('-', '').replace(/0+$/, '');
      expect(number === null).toBe(significant.length > 15);
      if (number === null) return;
      // Fifteen digits of the number, moved by its exponent, are the digits of the amount.
      const [mantissa = '', exponent = '0'] = number.toExponential(14).split('e');
      const whole = BigInt(mantissa.replace('.', ''));
      const shift = Number(exponent) - 14 + decimals;
      const back = shift >= 0 ? whole * 10n ** BigInt(shift) : whole / 10n ** BigInt(-shift);
      expect(back).toBe(units);
    }),
  );
});

test('an amount without known decimals has no number, because nobody knows its unit', () => {
  expect(spreadsheetNumber(money('77', null))).toBeNull();
  expect(spreadsheetNumber(money('0', 18))).toBe(0);
  expect(scaled('0', 2)).toBe('0.00');
});
