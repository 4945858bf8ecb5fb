import type { DailyReport } from '../domain/close/report.ts';
import { storedAmount, type Amount } from '../domain/money/amount.ts';
import { assetTotals, COMPARED, decimalsByAsset, MOVES } from './asset-totals.ts';
import { criticalText } from './critical-breaks.ts';
import { assetsBeyondBeancount } from './ledgers/beancount.ts';
import { signatureShown } from './json.ts';
import { sentencesOf } from './sentence.ts';
import { NOT_ALL_MOVEMENTS, type SignedReport } from './signed-report.ts';
import {
  AMOUNT_FACTS,
  factsSheet,
  tableSheet,
  type SheetFact,
  type TableColumn,
  type TableSheet,
  type TextCell,
} from './tables/table.ts';
import { withVaultName } from './vault-name.ts';
import { workbookBytes } from './workbook.ts';

const MOVEMENT = ['vaultId', 'vaultName', 'network', 'blockchainHash', 'asset'] as const;
const AMOUNTS = ['expected', 'actual', 'difference'] as const;
const FIGURES = [...MOVES, ...COMPARED] as const;
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

/** A row of amounts in an asset. Without an asset, the amounts are counts. */
interface AssetRow {
  readonly asset: string | null;
}

/** Makes the sheets of a report. Its amounts have the decimals that its assets had at the close. */
class ReportSheets {
  readonly #decimals: ReadonlyMap<string, number | null>;

  constructor(report: DailyReport) {
    this.#decimals = decimalsByAsset(report);
  }

  /** One row per record, a column per member in the order of `columns`; `money` are amounts. */
  sheet<Row extends AssetRow>(
    name: string,
    rows: readonly Row[],
    members: {
      readonly columns: readonly (keyof Row & string)[];
      readonly money: readonly (keyof Row & string)[];
    },
  ): TableSheet {
    const { columns, money } = members;
    return tableSheet({
      name,
      rows,
      columns: columns.map((column) =>
        money.includes(column) ? this.#moneyColumn(column) : textColumn(column),
      ),
    });
  }

  #moneyColumn<Row extends AssetRow>(name: keyof Row & string): TableColumn<Row> {
    return {
      name,
      money: (row) => {
        const value = (row[name] ?? null) as Amount | string | null;
        if (value === null) return null;
        const decimals = row.asset === null ? 0 : (this.#decimals.get(row.asset) ?? null);
        return { amount: typeof value === 'string' ? storedAmount(value) : value, decimals };
      },
    };
  }
}

function textColumn<Row extends object>(name: keyof Row & string): TableColumn<Row> {
  return { name, text: (row) => (row[name] ?? null) as TextCell };
}

function unshown({ movements }: SignedReport): SheetFact[] {
  return movements.isWhole ? [] : [['movements not shown', NOT_ALL_MOVEMENTS]];
}

function summaryOf(signed: SignedReport): TableSheet {
  const { report, reportHash } = signed;
  const { journal, previous, custody } = report;
  const critical = criticalText(report);
  const sentence = sentencesOf(report);
  return factsSheet('Report', [
    ['day', report.day],
    ['timezone', report.timezone],
    ['from', report.from],
    ['cutOffAt', report.cutOffAt],
    ['closedAt', report.closedAt],
    ['status', report.status],
    ...(critical === null ? [] : [['beside the status', critical] as const]),
    ['reportHash', reportHash],
    ['previousReportHash', previous?.reportHash ?? null],
    ['journal', `${journal.afterSeq + 1} to ${journal.throughSeq}`],
    ['sealHash', journal.sealHash],
    ['custody', custody.compared ? `compared, read ${custody.readAt}` : custody.reason],
    ...assetsBeyondBeancount(report.totals).map((asset): SheetFact => [
      'not in beancount (28 digits)',
      asset,
    ]),
    ...unshown(signed),
    ...AMOUNT_FACTS,
    ...Object.entries(report.ageing).map(([bucket, count]): SheetFact => [
      `openBreaks ${bucket}`,
      count,
    ]),
    ...Object.entries(report.exempt ?? {}).map(([rule, count]): SheetFact => [
      `exempt ${rule}`,
      count,
    ]),
    ...report.exceptions.map(({ kind, detail }): SheetFact => [
      `exception ${kind}`,
      sentence(detail, null),
    ]),
  ]);
}

function totalsOf(sheets: ReportSheets, { report }: SignedReport): TableSheet[] {
  const named = report.totals.map((total) => withVaultName(report, total));
  const columns = ['asset', 'decimals', ...FIGURES] as const;
  return [
    sheets.sheet('Totals by asset', assetTotals(report.totals), { columns, money: FIGURES }),
    sheets.sheet('Totals', named, {
      columns: ['vaultId', 'vaultName', ...columns],
      money: FIGURES,
    }),
  ];
}

/** Breaks or differences with the sentence that people read, its amounts in the asset's own unit. */
function withSentences<Row extends { readonly detail: string; readonly asset: string | null }>(
  report: DailyReport,
  rows: readonly Row[],
): Row[] {
  const sentence = sentencesOf(report);
  return rows.map((row) => ({ ...row, detail: sentence(row.detail, row.asset) }));
}

function naming(report: DailyReport) {
  return <Row extends { readonly vaultId: string | null }>(rows: readonly Row[]) =>
    rows.map((row) => withVaultName(report, row));
}

/** Lists that version 1 lacks. */
function newerLists(sheets: ReportSheets, report: DailyReport): TableSheet[] {
  const { openDifferences, custodyAfterCutOff, unconfirmed, laterBreaks } = report;
  const named = naming(report);
  const newer = [
    openDifferences &&
      sheets.sheet('Open differences', openDifferences, {
        columns: ['asset', 'against', 'count', 'difference', 'absolute'],
        money: ['difference', 'absolute'],
      }),
    custodyAfterCutOff &&
      sheets.sheet('After the cut-off', named(custodyAfterCutOff), {
        columns: ['at', 'datedBy', ...MOVEMENT, 'amount', 'transactionId'],
        money: ['amount'],
      }),
    unconfirmed &&
      sheets.sheet('Not confirmed', named(unconfirmed), {
        columns: [...MOVEMENT, 'amount'],
        money: ['amount'],
      }),
    laterBreaks &&
      sheets.sheet('Later breaks', named(withSentences(report, laterBreaks)), {
        columns: BREAK,
        money: AMOUNTS,
      }),
  ];
  return newer.filter((list) => list !== undefined);
}

function movementSheets(sheets: ReportSheets, { report, movements }: SignedReport): TableSheet[] {
  const named = naming(report)(movements.items);
  const moved = named.flatMap(({ amounts, entries, ...hashColumns }) =>
    Object.entries(amounts).map(([figure, amount]) => ({
      ...hashColumns,
      figure,
      amount,
      entries: [...new Set(entries.map(({ entryId }) => entryId))].join(' '),
    })),
  );
  const lines = named.flatMap(({ entries, ...hashColumns }) =>
    entries.map(({ seq, recordedAt, ...entry }) => ({
      ...hashColumns,
      ...entry,
      journalSeq: seq,
      recordedAt: new Date(recordedAt).toISOString(),
    })),
  );
  const hashColumns = ['asset', 'vaultId', 'vaultName', 'network', 'blockchainHash'] as const;
  const origin = ['source', 'notificationId', 'transactionId', 'journalSeq'] as const;
  const where = ['accountId', 'accountName', 'addressId', 'addressName', 'memo'] as const;
  return [
    sheets.sheet('Movements', moved, {
      columns: [...hashColumns, 'figure', 'amount', 'entries'],
      money: ['amount'],
    }),
    sheets.sheet('Entries', lines, {
      columns: [...hashColumns, 'entryId', 'change', 'amount', ...where, 'recordedAt', ...origin],
      money: ['amount'],
    }),
  ];
}

/** The lists of every version. */
function lists(sheets: ReportSheets, report: DailyReport): TableSheet[] {
  const named = naming(report);
  return [
    sheets.sheet('Differences', named(withSentences(report, report.differences)), {
      columns: ['against', ...MOVEMENT, ...AMOUNTS, 'explanation', 'breakId', 'detail'],
      money: AMOUNTS,
    }),
    sheets.sheet('In transit', named(report.inTransit), {
      columns: ['kind', 'leg', ...MOVEMENT, 'amount'],
      money: ['amount'],
    }),
    sheets.sheet('Prior day', named(report.priorDay), {
      columns: [
        'day',
        'reason',
        'from',
        'to',
        ...MOVEMENT,
        'amount',
        'eventAt',
        'datedBy',
        'detail',
      ],
      money: ['amount'],
    }),
    sheets.sheet('Open breaks', named(withSentences(report, report.openBreaks)), {
      columns: BREAK,
      money: AMOUNTS,
    }),
  ];
}

/** An Excel workbook: a summary, the totals, and one sheet per list of the report. */
export async function xlsxBytes(signed: SignedReport): Promise<Uint8Array<ArrayBuffer>> {
  const { report, signatures } = signed;
  const sheets = new ReportSheets(report);
  const signedRows = signatures.map(signatureShown);
  return workbookBytes([
    summaryOf(signed),
    ...totalsOf(sheets, signed),
    ...lists(sheets, report),
    ...newerLists(sheets, report),
    ...movementSheets(sheets, signed),
    tableSheet({
      name: 'Signatures',
      rows: signedRows,
      columns: (['role', 'person', 'reason', 'reportHash', 'signedAt'] as const).map((name) =>
        textColumn<(typeof signedRows)[number]>(name),
      ),
    }),
  ]);
}
