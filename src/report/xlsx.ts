import writeXlsxFile from 'write-excel-file/node';
import { CATEGORIES } from '../domain/roll-forward.ts';
import { assetsBeyondBeancount } from './beancount.ts';
import { scaled } from './figure.ts';
import type { SignedReport } from './signed-report.ts';

type Value = string | number | null;
type CellObject = { readonly value: string; readonly fontWeight?: 'bold' };

/**
 * Everything is text, amounts too: a spreadsheet's numbers end at 15 digits, and text is never run
 * as a formula.
 */
function cellOf(value: Value | undefined): CellObject | null {
  return value === null || value === undefined ? null : { value: String(value) };
}

function headOf(names: readonly string[]): CellObject[] {
  return names.map((value) => ({ value, fontWeight: 'bold' }));
}

interface Sheet {
  readonly sheet: string;
  readonly data: (CellObject | null)[][];
  readonly columns: { readonly width: number }[];
  readonly stickyRowsCount: number;
}

/** One row a record, one column a member, in the order of `columns`. */
function sheetOf<Row extends object>(
  sheet: string,
  columns: readonly (keyof Row & string)[],
  rows: readonly Row[],
): Sheet {
  return {
    sheet,
    data: [
      headOf(columns),
      ...rows.map((row) => columns.map((column) => cellOf(row[column] as Value))),
    ],
    columns: columns.map((column) => ({ width: Math.max(column.length + 2, 18) })),
    stickyRowsCount: 1,
  };
}

function summaryOf({ report, reportHash }: SignedReport): Sheet {
  const { journal, previous, custody } = report;
  const facts: [string, Value][] = [
    ['day', report.day],
    ['timezone', report.timezone],
    ['from', report.from],
    ['cutOffAt', report.cutOffAt],
    ['closedAt', report.closedAt],
    ['status', report.status],
    ['reportHash', reportHash],
    ['previousReportHash', previous?.reportHash ?? null],
    ['journal', `${journal.afterSeq + 1} to ${journal.throughSeq}`],
    ['sealHash', journal.sealHash],
    ['custody', custody.compared ? `compared, read ${custody.readAt}` : custody.reason],
    ...assetsBeyondBeancount(report.totals).map((asset): [string, Value] => [
      'not in beancount (28 digits)',
      asset,
    ]),
    ...Object.entries(report.ageing).map(([bucket, count]): [string, Value] => [
      `openBreaks ${bucket}`,
      count,
    ]),
    ...Object.entries(report.exempt ?? {}).map(([rule, count]): [string, Value] => [
      `exempt ${rule}`,
      count,
    ]),
    ...report.exceptions.map(({ kind, detail }): [string, Value] => [`exception ${kind}`, detail]),
  ];
  return {
    sheet: 'Report',
    data: facts.map(([name, value]) => [...headOf([name]), cellOf(value)]),
    columns: [{ width: 28 }, { width: 72 }],
    stickyRowsCount: 0,
  };
}

const MOVES = ['opening', ...CATEGORIES, 'closing'] as const;
const COMPARED = [
  'chainClosing',
  'chainDifference',
  'chainUntold',
  'custodyClosing',
  'custodyDifference',
] as const;

/** The totals twice: exact in smallest units, and in the asset's own unit for people. */
function totalsOf({ report }: SignedReport): Sheet[] {
  const columns = ['vaultId', 'asset', 'decimals', ...MOVES, ...COMPARED] as const;
  const inUnits = report.totals.map((total) => {
    const shown = [...MOVES, ...COMPARED].map((name): [string, string | null] => {
      const amount = total[name];
      return [name, amount === null ? null : scaled(amount, total.decimals)];
    });
    return { ...total, ...Object.fromEntries(shown) };
  });
  return [
    sheetOf('Totals', columns, inUnits),
    sheetOf('Totals, smallest units', columns, report.totals),
  ];
}

/** An Excel workbook: a summary, the totals, and a sheet for each list of the report. */
export async function xlsxBytes(signed: SignedReport): Promise<Uint8Array<ArrayBuffer>> {
  const { report, signatures } = signed;
  const movement = ['vaultId', 'network', 'blockchainHash', 'asset'] as const;
  const amounts = ['expected', 'actual', 'difference'] as const;
  const sheets = [
    summaryOf(signed),
    ...totalsOf(signed),
    sheetOf(
      'Differences',
      ['against', ...movement, ...amounts, 'explanation', 'breakId', 'detail'],
      report.differences,
    ),
    sheetOf('In transit', ['kind', ...movement, 'amount'], report.inTransit),
    sheetOf(
      'Prior day',
      ['day', 'reason', ...movement, 'amount', 'eventAt', 'detail'],
      report.priorDay,
    ),
    sheetOf(
      'Open breaks',
      [
        'breakId',
        'type',
        'severity',
        'state',
        ...movement,
        ...amounts,
        'openedAt',
        'ageSeconds',
        'detail',
      ],
      report.openBreaks,
    ),
    sheetOf(
      'Signatures',
      ['role', 'person', 'reason', 'reportHash', 'signedAt'],
      signatures.map((one) => ({ ...one, signedAt: new Date(one.signedAt).toISOString() })),
    ),
  ];
  return new Uint8Array(await writeXlsxFile(sheets).toBuffer());
}
