import type { DailyReport, ReportTotal } from '../domain/close/report.ts';
import { assetTotals, COMPARED, MOVES, type AssetTotal } from './asset-totals.ts';
import { assetsBeyondBeancount } from './beancount.ts';
import { scaled } from './figure.ts';
import { NOT_ALL_MOVEMENTS, type SignedReport } from './signed-report.ts';
import { withVaultName } from './vault-name.ts';
import { workbookBytes } from './workbook.ts';

type Value = string | number | null;
type CellObject = { readonly value: string; readonly fontWeight?: 'bold' };

/**
 * Every cell is text, amounts too: spreadsheet numbers end at 15 digits, and text never runs as a
 * formula.
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

const MOVEMENT = ['vaultId', 'vaultName', 'network', 'blockchainHash', 'asset'] as const;
const AMOUNTS = ['expected', 'actual', 'difference'] as const;
const BREAK = [
  'breakId',
  'type',
  'severity',
  'state',
  ...MOVEMENT,
  ...AMOUNTS,
  'openedAt',
  'ageSeconds',
  'detail',
] as const;

/** One row per record, one column per member, in the order of `columns`. */
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

function unshown({ movements }: SignedReport): [string, Value][] {
  return movements.isWhole ? [] : [['movements not shown', NOT_ALL_MOVEMENTS]];
}

function summaryOf(signed: SignedReport): Sheet {
  const { report, reportHash } = signed;
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
    ...unshown(signed),
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

/** A row of figures in the asset's own unit. */
function inOwnUnit<Row extends AssetTotal | ReportTotal>(row: Row): Row {
  const shown = [...MOVES, ...COMPARED].map((name): [string, string | null] => {
    const amount = row[name] ?? null;
    return [name, amount === null ? null : scaled(amount, row.decimals)];
  });
  return { ...row, ...Object.fromEntries(shown) };
}

/** The totals twice: exact in smallest units, and in the asset's own unit. */
function totalsOf({ report }: SignedReport): Sheet[] {
  const figures = ['decimals', ...MOVES, ...COMPARED] as const;
  const columns = ['vaultId', 'vaultName', 'asset', ...figures] as const;
  const named = report.totals.map((total) => withVaultName(report, total));
  return [
    sheetOf('Totals by asset', ['asset', ...figures], assetTotals(report.totals).map(inOwnUnit)),
    sheetOf('Totals', columns, named.map(inOwnUnit)),
    sheetOf('Totals, smallest units', columns, named),
  ];
}

/** Lists that version 1 lacks. */
function newerLists(report: DailyReport): Sheet[] {
  const { openDifferences, custodyAfterCutOff, unconfirmed, laterBreaks } = report;
  const named = <Row extends { readonly vaultId: string | null }>(rows: readonly Row[]) =>
    rows.map((row) => withVaultName(report, row));
  return [
    ...(openDifferences === undefined
      ? []
      : [
          sheetOf(
            'Open differences',
            ['asset', 'against', 'count', 'difference', 'absolute'],
            openDifferences,
          ),
        ]),
    ...(custodyAfterCutOff === undefined
      ? []
      : [
          sheetOf(
            'After the cut-off',
            ['at', 'datedBy', ...MOVEMENT, 'amount', 'transactionId'],
            named(custodyAfterCutOff),
          ),
        ]),
    ...(unconfirmed === undefined
      ? []
      : [sheetOf('Not confirmed', [...MOVEMENT, 'amount'], named(unconfirmed))]),
    ...(laterBreaks === undefined ? [] : [sheetOf('Later breaks', BREAK, named(laterBreaks))]),
  ];
}

function movementSheets({ report, movements }: SignedReport): Sheet[] {
  const named = movements.items.map((one) => withVaultName(report, one));
  const moved = named.flatMap(({ amounts, entries, ...hashColumns }) =>
    Object.entries(amounts).map(([figure, amount]) => ({
      ...hashColumns,
      figure,
      amount: scaled(amount.toString(), hashColumns.decimals),
      entries: [...new Set(entries.map(({ entryId }) => entryId))].join(' '),
    })),
  );
  const lines = named.flatMap(({ entries, ...hashColumns }) =>
    entries.map(({ seq, recordedAt, amount, ...entry }) => ({
      ...hashColumns,
      ...entry,
      journalSeq: seq,
      amount: scaled(amount.toString(), hashColumns.decimals),
      recordedAt: new Date(recordedAt).toISOString(),
    })),
  );
  const hashColumns = ['asset', 'vaultId', 'vaultName', 'network', 'blockchainHash'] as const;
  const origin = ['source', 'notificationId', 'transactionId', 'journalSeq'] as const;
  const where = ['accountId', 'accountName', 'addressId', 'addressName', 'memo'] as const;
  return [
    sheetOf('Movements', [...hashColumns, 'figure', 'amount', 'entries'], moved),
    sheetOf(
      'Entries',
      [...hashColumns, 'entryId', 'change', 'amount', ...where, 'recordedAt', ...origin],
      lines,
    ),
  ];
}

/** An Excel workbook: a summary, the totals, and one sheet per list of the report. */
export async function xlsxBytes(signed: SignedReport): Promise<Uint8Array<ArrayBuffer>> {
  const { report, signatures } = signed;
  const named = <Row extends { readonly vaultId: string | null }>(rows: readonly Row[]) =>
    rows.map((row) => withVaultName(report, row));
  const sheets = [
    summaryOf(signed),
    ...totalsOf(signed),
    sheetOf(
      'Differences',
      ['against', ...MOVEMENT, ...AMOUNTS, 'explanation', 'breakId', 'detail'],
      named(report.differences),
    ),
    sheetOf('In transit', ['kind', 'leg', ...MOVEMENT, 'amount'], named(report.inTransit)),
    sheetOf(
      'Prior day',
      ['day', 'reason', 'from', 'to', ...MOVEMENT, 'amount', 'eventAt', 'datedBy', 'detail'],
      named(report.priorDay),
    ),
    sheetOf('Open breaks', BREAK, named(report.openBreaks)),
    ...newerLists(report),
    ...movementSheets(signed),
    sheetOf(
      'Signatures',
      ['role', 'person', 'reason', 'reportHash', 'signedAt'],
      signatures.map((one) => ({ ...one, signedAt: new Date(one.signedAt).toISOString() })),
    ),
  ];
  return workbookBytes(sheets);
}
