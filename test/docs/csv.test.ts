import { expect, test } from 'vitest';
import { decisionsTable } from '../../src/console/audit/table.ts';
import { breaksTable } from '../../src/console/breaks/queue/table.ts';
import { depositsTable } from '../../src/console/deposits/table.ts';
import { Amount } from '../../src/domain/money/amount.ts';
import { balancesTable } from '../../src/report/tables/balances-table.ts';
import { statementTable } from '../../src/report/tables/statement-table.ts';
import { tableCsv } from '../../src/report/tables/table.ts';
import { withdrawalsTable } from '../../src/report/tables/withdrawals-table.ts';
import { csvRows } from '../report/reading-back.ts';
import { MOVEMENTS, NEWER, rendered, REPORT } from '../report/report-under-test.ts';
import { readPage } from './reading/page.ts';

const PAGE = 'docs/reference/csv.md';

const NO_DECIMALS = new Map<string, number>();

function emptyStatement() {
  const position = { vaultId: 'v1', accountId: null, addressId: null, memo: null };
  const query = { view: 'books', ...position, asset: 'ethereum:ETH', from: 0, to: 1 } as const;
  const nothing = { opening: Amount(0n), closing: Amount(0n), journalSeq: 1 };
  const page = { items: [], page: 0, pageSize: 1, total: 0 };
  const about = { decimals: null, readAt: 1 };
  return statementTable(query, { kind: 'statement', ...nothing, ...page }, about);
}

/** The report of a day that has a line of every kind. */
function wholeReport(): Promise<string> {
  const { differences, exceptions } = REPORT;
  const chain = differences.map((one) => ({ ...one, against: 'chain' as const }));
  const more = { exceptions, differences: [...differences, ...chain], exempt: { rounding: 1 } };
  return rendered('csv', { ...NEWER, ...more }, MOVEMENTS);
}

const FILES: readonly (readonly [string, () => string | Promise<string>])[] = [
  ['Deposits', () => tableCsv(depositsTable([], NO_DECIMALS))],
  ['Withdrawals', () => tableCsv(withdrawalsTable([], NO_DECIMALS))],
  ['Breaks', () => tableCsv(breaksTable([], NO_DECIMALS))],
  ['Balances', () => tableCsv(balancesTable([], NO_DECIMALS))],
  ['Statement', () => tableCsv(emptyStatement())],
  ['Decisions', () => tableCsv(decisionsTable([]))],
  ['Daily report', wholeReport],
];

/** The names in code marks in the first cells of the section's table under this title. */
function firstCells(section: string, title: string): string[] {
  const { text } = readPage(PAGE);
  const own = text.split(`\n## ${section}\n`)[1]?.split('\n## ')[0] ?? '';
  const table = own.split('\n\n').find((one) => one.trim().startsWith(`| ${title} `)) ?? '';
  return table
    .split('\n')
    .map((line) => line.split('|')[1] ?? '')
    .flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
}

test.for(FILES)('%s: the page lists exactly the columns of the file, in its order', async (one) => {
  const [section, fileOf] = one;
  const [head = []] = csvRows(await fileOf());
  expect(head.length).toBeGreaterThan(5);
  expect(firstCells(section, 'columns')).toEqual(head);
});

test('the page lists every kind of line of the daily report', async () => {
  const [, ...rows] = csvRows(await wholeReport());
  const records = new Set(rows.map(([record = '']) => record));
  expect(firstCells('Daily report', 'record').toSorted()).toEqual([...records].toSorted());
});
