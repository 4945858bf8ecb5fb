import type { Amount } from '../../domain/money/amount.ts';
import { csvCell } from '../csv-cell.ts';
import { scaled } from '../figure.ts';
import { workbookBytes } from '../workbook.ts';

/** An amount in smallest units, with the asset's decimals; null where nobody knows them. */
export interface Money {
  readonly amount: Amount;
  readonly decimals: number | null;
}

export type TextCell = string | number | null;

/** A column of texts, or of amounts. An amount is shown in the asset's unit and in smallest units. */
export type TableColumn<Row> =
  | { readonly name: string; readonly text: (row: Row) => TextCell }
  | { readonly name: string; readonly money: (row: Row) => Money | null };

/** Rows for a spreadsheet. */
export interface Table<Row> {
  /** The name of the sheet, at most 31 characters. */
  readonly name: string;
  readonly columns: readonly TableColumn<Row>[];
  readonly rows: readonly Row[];
}

/** Numbers of spreadsheets are exact up to so many digits. */
const NUMBER_DIGITS_MAX = 15;

/**
 * The number that a spreadsheet can calculate with: exactly the same decimal digits. Null for an
 * amount with more than 15 significant digits, or without known decimals.
 */
export function spreadsheetNumber({ amount, decimals }: Money): number | null {
  if (decimals === null) return null;
  const significant = amount.toString().replace('-', '').replace(/0+$/, '');
  return significant.length > NUMBER_DIGITS_MAX ? null : Number(scaled(`${amount}`, decimals));
}

/** The amount in the asset's unit, all decimals; null where nobody knows them. */
function exactText({ amount, decimals }: Money): string | null {
  return decimals === null ? null : scaled(`${amount}`, decimals);
}

/** As CSV (RFC 4180): an amount takes two columns, in the asset's unit and in smallest units. */
export function tableCsv<Row>({ columns, rows }: Table<Row>): string {
  const head = columns.flatMap((one) =>
    'money' in one ? [one.name, `${one.name}Units`] : [one.name],
  );
  const lines = rows.map((row) =>
    columns
      .flatMap((one): TextCell[] => {
        if ('text' in one) return [one.text(row)];
        const money = one.money(row);
        return money === null ? [null, null] : [exactText(money), `${money.amount}`];
      })
      .map(csvCell)
      .join(','),
  );
  return `${[head.join(','), ...lines].join('\r\n')}\r\n`;
}

type SheetCell =
  | { readonly value: string; readonly fontWeight?: 'bold' }
  | { readonly value: number; readonly type: NumberConstructor }
  | null;

function textCell(value: TextCell): SheetCell {
  return value === null ? null : { value: String(value) };
}

/** An amount takes three cells: the number, the exact text, and smallest units as text. */
function moneyCells(money: Money | null): SheetCell[] {
  if (money === null) return [null, null, null];
  const value = spreadsheetNumber(money);
  const number: SheetCell = value === null ? null : { value, type: Number };
  return [number, textCell(exactText(money)), textCell(`${money.amount}`)];
}

function bold(value: string): SheetCell {
  return { value, fontWeight: 'bold' };
}

const NUMBERS_NOTE = 'empty for more than 15 significant digits: see the exact column';

/** As an Excel workbook: a sheet of facts, and the table. Text never runs as a formula. */
export async function tableXlsx<Row>(
  { name, columns, rows }: Table<Row>,
  facts: readonly (readonly [name: string, value: TextCell])[],
): Promise<Uint8Array<ArrayBuffer>> {
  const head = columns.flatMap((one) =>
    'money' in one ? [one.name, `${one.name}Exact`, `${one.name}Units`] : [one.name],
  );
  const data = rows.map((row) =>
    columns.flatMap((one) =>
      'money' in one ? moneyCells(one.money(row)) : [textCell(one.text(row))],
    ),
  );
  const about = [...facts, ['number columns', NUMBERS_NOTE] as const];
  const sheets = [
    {
      sheet: 'About',
      data: about.map(([fact, value]) => [bold(fact), textCell(value)]),
      columns: [{ width: 24 }, { width: 72 }],
    },
    {
      sheet: name,
      data: [head.map(bold), ...data],
      columns: head.map((title) => ({ width: Math.max(title.length + 2, 18) })),
      stickyRowsCount: 1,
    },
  ];
  return workbookBytes(sheets);
}
