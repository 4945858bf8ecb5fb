import type { Reads } from '../../store/reads.ts';
import {
  WITHDRAWALS_SEARCHED_MAX,
  type BalanceQuery,
  type WithdrawalQuery,
} from '../../store/queries.ts';
import type { StatementAnswer, StatementQuery } from '../../store/statement.ts';
import { CSV_TYPE } from '../csv-cell.ts';
import type { Document } from '../document.ts';
import { XLSX_TYPE } from '../workbook.ts';
import { balancesFacts, balancesTable } from './balances-table.ts';
import { statementFacts, statementTable } from './statement-table.ts';
import { withdrawalsTable } from './withdrawals-table.ts';
import { tableCsv, tableXlsx, type Table, type TextCell } from './table.ts';

const DAY_MS = 86_400_000;

export const TABLE_FORMATS = ['csv', 'xlsx'] as const;
export type TableFormat = (typeof TABLE_FORMATS)[number];

const CONTENT_TYPES: Record<TableFormat, string> = { csv: CSV_TYPE, xlsx: XLSX_TYPE };

/** Most rows of a document; a workbook is built in memory, cell by cell. */
const ROWS_MAX: Record<TableFormat, number> = { csv: 100_000, xlsx: 20_000 };

/** What a table shows. `at`: when it was asked for, Unix milliseconds. */
export type TableAsked =
  | { readonly kind: 'balances'; readonly query: BalanceQuery; readonly at: number }
  | { readonly kind: 'statement'; readonly query: StatementQuery; readonly at: number }
  | { readonly kind: 'withdrawals'; readonly query: WithdrawalQuery };

/** A document, or why a statement cannot be read. */
export type TableAnswer =
  | { readonly kind: 'document'; readonly document: Document }
  | Exclude<StatementAnswer, { kind: 'statement' }>;

/** Balances, statements and withdrawals as spreadsheets. */
export type TableDocuments = (asked: TableAsked, format: TableFormat) => Promise<TableAnswer>;

type TableReads = Pick<Reads, 'balances' | 'statement' | 'withdrawals' | 'pinnedDecimals'>;

/** Names of files keep letters and digits alone: identifiers are opaque. */
function fileNameOf(parts: readonly (string | null)[]): string {
  const words = parts.filter((part) => part !== null && part !== '');
  const name = words.join('-').replaceAll(/[^A-Za-z0-9.]+/g, '-');
  return name.slice(0, 160);
}

/** What a table's document needs besides its rows. */
export interface AboutTable {
  /** What the table shows, for the workbook's first sheet. */
  readonly facts: readonly (readonly [string, TextCell])[];
  readonly format: TableFormat;
  /** Without its ending. */
  readonly fileName: string;
}

/** A table as a document. */
export async function tableDocument<Row>(table: Table<Row>, about: AboutTable): Promise<Document> {
  const { facts, format, fileName } = about;
  const body = format === 'csv' ? tableCsv(table) : await tableXlsx(table, facts);
  return { contentType: CONTENT_TYPES[format], fileName: `${fileName}.${format}`, body };
}

async function documentOf<Row>(table: Table<Row>, about: AboutTable): Promise<TableAnswer> {
  return { kind: 'document', document: await tableDocument(table, about) };
}

async function balancesDocument(
  reads: TableReads,
  { query, at }: Extract<TableAsked, { kind: 'balances' }>,
  format: TableFormat,
): Promise<TableAnswer> {
  const found = await reads.balances(query, { page: 0, pageSize: ROWS_MAX[format] });
  const { items, total } = found;
  const rows = items.length;
  const moment = new Date(query.asOf ?? at).toISOString();
  const cut = rows < total ? `first-${rows}` : null;
  const decimals = await reads.pinnedDecimals();
  return documentOf(balancesTable(items, decimals), {
    facts: balancesFacts(query, { at, rows, total }),
    format,
    fileName: fileNameOf(['balances', query.view, moment, cut]),
  });
}

async function statementDocument(
  reads: TableReads,
  { query, at: readAt }: Extract<TableAsked, { kind: 'statement' }>,
  format: TableFormat,
): Promise<TableAnswer> {
  const found = await reads.statement(query, { page: 0, pageSize: ROWS_MAX[format] });
  if (found.kind !== 'statement') return found;
  const known: ReadonlyMap<string, number> = await reads.pinnedDecimals();
  const decimals = known.get(query.asset) ?? null;
  const { vaultId, addressId, asset, from, to } = query;
  // A period of whole days is named by its days, another one by its moments.
  const isWholeDays = from % DAY_MS === 0 && to % DAY_MS === 0;
  const named = (at: number): string => new Date(at).toISOString().slice(0, isWholeDays ? 10 : 24);
  const last = isWholeDays ? to - 1 : to;
  const fileName = fileNameOf([
    'statement',
    vaultId,
    addressId,
    asset,
    named(from),
    named(last),
    to > readAt ? 'so-far' : null,
  ]);
  const facts = statementFacts(query, found, readAt);
  return documentOf(statementTable(query, found, { decimals, readAt }), {
    facts,
    format,
    fileName,
  });
}

/** The number of withdrawals when the search reads only the newest of them; null when it reads all. */
async function searchedAmong(
  reads: TableReads,
  { asset, amounts }: WithdrawalQuery,
): Promise<number | null> {
  if (asset === undefined && amounts === undefined) return null;
  const { total } = await reads.withdrawals({}, { page: 0, pageSize: 1 });
  return total > WITHDRAWALS_SEARCHED_MAX ? total : null;
}

async function withdrawalsDocument(
  reads: TableReads,
  query: WithdrawalQuery,
  format: TableFormat,
): Promise<TableAnswer> {
  const found = await reads.withdrawals(query, { page: 0, pageSize: ROWS_MAX[format] });
  const { items, total } = found;
  const cut = items.length < total ? `first-${items.length}` : null;
  const all = await searchedAmong(reads, query);
  const among = all === null ? null : `among-newest-${WITHDRAWALS_SEARCHED_MAX}`;
  const { amounts = [], ...named } = query;
  const amountFacts = amounts.map(({ asset, amount }): [string, string] => [
    'amount',
    `${amount} ${asset}`,
  ]);
  return documentOf(withdrawalsTable(items, await reads.pinnedDecimals()), {
    facts: [
      ...Object.entries(named),
      ...amountFacts,
      ['withdrawals', `${items.length} of ${total}`],
      ...(all === null
        ? []
        : [['searched', `the newest ${WITHDRAWALS_SEARCHED_MAX} of ${all} withdrawals`] as const]),
    ],
    format,
    fileName: fileNameOf(['withdrawals', among, cut]),
  });
}

/** Spreadsheets of a store's books. */
export function tablesFrom(reads: TableReads): TableDocuments {
  return (asked, format) => {
    switch (asked.kind) {
      case 'balances':
        return balancesDocument(reads, asked, format);
      case 'statement':
        return statementDocument(reads, asked, format);
      case 'withdrawals':
        return withdrawalsDocument(reads, asked.query, format);
      default:
        return asked satisfies never;
    }
  };
}
