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

/** A moment in ISO 8601. `at`: Unix milliseconds. */
export function timeText(at: number): string {
  return new Date(at).toISOString();
}

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

/** A sheet of a workbook. */
export interface TableSheet {
  readonly sheet: string;
  readonly data: SheetCell[][];
  readonly columns: { readonly width: number }[];
  readonly stickyRowsCount: number;
}

/** A fact of a sheet without columns: its name, and its text. */
export type SheetFact = readonly [name: string, value: TextCell];

/** Most characters of a spreadsheet's cell; Excel repairs a workbook with more, and drops them. */
const CELL_CHARACTERS_MAX = 32_767;
const CUT = ' … (cut: a cell holds 32,767 characters; CSV or JSON has the whole text)';

/** A text as a cell can hold it. Webhooks may bring a memo or an address of any length. */
function fitting(text: string): string {
  if (text.length <= CELL_CHARACTERS_MAX) return text;
  // Not half of a character that takes two places.
  return text.slice(0, CELL_CHARACTERS_MAX - CUT.length).replace(/[\uD800-\uDBFF]$/, '') + CUT;
}

/** Counts, ages and decimals are numbers; everything else is text, which never runs as a formula. */
function textCell(value: TextCell): SheetCell {
  if (value === null) return null;
  return typeof value === 'number' ? { value, type: Number } : { value: fitting(value) };
}

/** An amount takes three cells: the number, the exact text, and smallest units as text. */
function moneyCells(money: Money | null): SheetCell[] {
  if (money === null) return [null, null, null];
  return [
    textCell(spreadsheetNumber(money)),
    textCell(exactText(money)),
    textCell(`${money.amount}`),
  ];
}

function bold(value: string): SheetCell {
  return { value, fontWeight: 'bold' };
}

/** Characters of a column: wide enough for an amount of 78 digits; longer texts are sentences. */
const WIDTH_MAX = 90;
const WIDTH_MIN = 12;

/** Widths that show each cell whole: a spreadsheet cuts longer texts, and shows ### for numbers. */
function widthsOf(data: readonly SheetCell[][]): { readonly width: number }[] {
  const widths: number[] = [];
  for (const row of data) {
    for (const [index, cell] of row.entries()) {
      const width = cell === null ? 0 : String(cell.value).length + 2;
      widths[index] = Math.max(widths[index] ?? WIDTH_MIN, Math.min(width, WIDTH_MAX));
    }
  }
  return widths.map((width) => ({ width }));
}

/** What the columns of amounts hold, for the sheet of facts. */
export const AMOUNT_FACTS: readonly SheetFact[] = [
  ['number columns', "in the asset's unit; empty for more than 15 significant digits"],
  ['…Exact columns', "the exact amount in the asset's unit; empty if nobody knows its decimals"],
  ['…Units columns', "the exact amount in the asset's smallest unit"],
  [
    'before you sum',
    'count empty cells of the number column: COUNTBLANK; …Exact has their amounts',
  ],
];

/** Facts, one a row. Text never runs as a formula. */
export function factsSheet(sheet: string, facts: readonly SheetFact[]): TableSheet {
  const data = facts.map(([fact, value]) => [bold(fact), textCell(value)]);
  return { sheet, data, columns: widthsOf(data), stickyRowsCount: 0 };
}

/** A table below its head. An amount takes three columns, and their names tell its unit. */
export function tableSheet<Row>({ name, columns, rows }: Table<Row>): TableSheet {
  const head = columns.flatMap((one) =>
    'money' in one ? [one.name, `${one.name}Exact`, `${one.name}Units`] : [one.name],
  );
  const cells = rows.map((row) =>
    columns.flatMap((one) =>
      'money' in one ? moneyCells(one.money(row)) : [textCell(one.text(row))],
    ),
  );
  const data = [head.map(bold), ...cells];
  return { sheet: name, data, columns: widthsOf(data), stickyRowsCount: 1 };
}

/** As an Excel workbook: a sheet of facts, and the table. */
export async function tableXlsx<Row>(
  table: Table<Row>,
  facts: readonly SheetFact[],
): Promise<Uint8Array<ArrayBuffer>> {
  return workbookBytes([factsSheet('About', [...facts, ...AMOUNT_FACTS]), tableSheet(table)]);
}
