import { html } from 'hono/html';
import { sealedText } from '../../domain/break/shown-text.ts';
import type {
  DailyReport,
  PriorDayItem,
  ReportBreak,
  ReportOpenDifference,
} from '../../domain/close/report.ts';
import { mostSevereFirst } from '../critical-breaks.ts';
import { ageText } from '../figure.ts';
import { noDifferences } from '../no-differences.ts';
import { shownDetail } from '../shown-detail.ts';
import {
  amountsLike,
  listed,
  sentencesLike,
  vaultMark,
  type Column,
  type Markup,
} from './markup.ts';

interface Moved {
  readonly vaultId: string | null;
  readonly network: string | null;
  readonly blockchainHash: string | null;
  readonly asset: string | null;
}

/** The columns that all lists of movements share. */
function hashColumns(report: DailyReport): Column<Moved>[] {
  return [
    { title: 'Vault', cell: ({ vaultId }) => vaultMark(report, vaultId) },
    { title: 'Hash', cell: ({ blockchainHash }) => blockchainHash, is: 'id' },
    { title: 'Asset', cell: ({ asset }) => asset, is: 'id' },
  ];
}

function amountColumn<Item extends { readonly asset: string | null }>(
  report: DailyReport,
  title: string,
  figure: (item: Item) => string | null,
): Column<Item> {
  const amountOf = amountsLike(report);
  return { title, cell: (item) => amountOf(item.asset, figure(item)), is: 'number' };
}

const NO_CHAIN_VIEW = ' (this hash has no chain view)';

function words(name: string): string {
  return name.replaceAll('_', ' ');
}

/** Open differences by asset; absent in reports of version 1. */
export function openDifferences(report: DailyReport): Markup | string {
  const { openDifferences: rows } = report;
  if (rows === undefined || rows.length === 0) return '';
  return listed(rows, {
    title: 'Open differences by asset',
    none: '',
    note: 'Ours minus theirs. In the absolute sum, opposite differences do not cancel.',
    columns: [
      { title: 'Asset', cell: ({ asset }) => asset, is: 'id' },
      { title: 'Against', cell: ({ against }) => against },
      { title: 'Differences', cell: ({ count }) => count, is: 'number' },
      amountColumn<ReportOpenDifference>(report, 'Sum', ({ difference }) => difference),
      amountColumn<ReportOpenDifference>(report, 'Absolute sum', ({ absolute }) => absolute),
    ],
  });
}

/** The differences, with their explanations. */
export function differences(report: DailyReport): Markup {
  const sentenceOf = sentencesLike(report);
  return listed(report.differences, {
    title: 'Differences',
    none: noDifferences(report).text,
    note: 'Difference = ours − theirs.',
    columns: [
      { title: 'Against', cell: ({ against }) => against },
      ...hashColumns(report),
      amountColumn(report, 'Ours', ({ actual }) => actual),
      amountColumn(report, 'Theirs', ({ expected }) => expected),
      amountColumn(report, 'Difference', ({ difference }) => difference),
      {
        title: 'Explanation',
        cell: (one) => {
          const named = `${words(one.explanation)}${one.breakId === null ? '' : ` ${one.breakId}`}: `;
          const detail = sentenceOf(sealedText(shownDetail(one)), one.asset);
          return html`${named}${detail}${one.untold === true ? NO_CHAIN_VIEW : ''}`;
        },
      },
    ],
  });
}

/** Movements at the custody API between the cut-off and the reading. */
export function afterCutOff(report: DailyReport): Markup | string {
  const { custodyAfterCutOff: rows } = report;
  if (rows === undefined) return '';
  return listed(rows, {
    title: 'At custody after the cut-off',
    none: 'Nothing moved at custody between the cut-off and the reading.',
    note: "Taken off custody's figure as it was read, to have it as of the cut-off.",
    columns: [
      { title: 'Time (UTC)', cell: ({ at }) => at, is: 'time' },
      { title: 'Dated by', cell: ({ datedBy }) => datedBy },
      ...hashColumns(report),
      amountColumn(report, 'Amount', ({ amount }) => amount),
      { title: 'Transaction', cell: ({ transactionId }) => transactionId, is: 'id' },
    ],
  });
}

/** The categories of a reclassified movement. */
function recountText({ from, to }: PriorDayItem): string {
  return from === undefined || to === undefined ? '' : ` (from ${from} to ${to})`;
}

/** Movements that belong to an earlier closed day. */
export function priorDay(report: DailyReport): Markup {
  return listed(report.priorDay, {
    title: 'Prior-day items',
    none: 'Nothing in this day belongs to an earlier closed day.',
    columns: [
      { title: 'Belongs to', cell: ({ day }) => day, is: 'time' },
      { title: 'Why', cell: (one) => `${words(one.reason)}${recountText(one)}` },
      { title: 'Happened (UTC)', cell: ({ eventAt }) => eventAt, is: 'time' },
      { title: 'Dated by', cell: ({ datedBy }) => datedBy ?? '' },
      ...hashColumns(report),
      amountColumn(report, 'Amount', ({ amount }) => amount),
      { title: 'Detail', cell: ({ detail }) => detail },
    ],
  });
}

/** Own transfers with one leg in the books. */
export function inTransit(report: DailyReport): Markup {
  return listed(report.inTransit, {
    title: 'In transit',
    none: 'Both legs of every own transfer are in the books.',
    columns: [
      { title: 'What', cell: ({ kind }) => kind },
      { title: 'Leg in the books', cell: ({ leg }) => leg ?? 'credit' },
      ...hashColumns(report),
      amountColumn(report, 'Amount', ({ amount }) => amount),
    ],
  });
}

/** Own debits that custody has not confirmed; absent in reports of version 1. */
export function unconfirmed(report: DailyReport): Markup | string {
  const { unconfirmed: rows } = report;
  if (rows === undefined) return '';
  return listed(rows, {
    title: 'Not confirmed by custody',
    none: 'The custody API confirmed every own debit.',
    columns: [...hashColumns(report), amountColumn(report, 'Amount', ({ amount }) => amount)],
  });
}

function breakColumns(report: DailyReport): Column<ReportBreak>[] {
  const sentenceOf = sentencesLike(report);
  return [
    { title: 'Type', cell: ({ type }) => words(type) },
    { title: 'Severity', cell: ({ severity }) => severity },
    { title: 'State', cell: ({ state }) => state },
    ...hashColumns(report),
    amountColumn(report, 'Difference', ({ difference }) => difference),
    { title: 'Detail', cell: ({ detail, asset }) => sentenceOf(sealedText(detail), asset) },
    { title: 'Break', cell: ({ breakId }) => breakId, is: 'id' },
  ];
}

/** Breaks open at the cut-off, and their ages. */
export function openBreaks(report: DailyReport): Markup {
  const { under1Day, under7Days, under30Days, over30Days } = report.ageing;
  return listed(mostSevereFirst(report.openBreaks), {
    title: 'Breaks open at the cut-off',
    none: 'No break was open at the cut-off.',
    note: `By age: ${under1Day} under a day, ${under7Days} under a week, ${under30Days} under 30 days, ${over30Days} older.`,
    columns: [
      { title: 'Age', cell: ({ ageSeconds }) => ageText(ageSeconds) },
      ...breakColumns(report),
    ],
  });
}

/** Breaks that explain a difference and opened after the cut-off. */
export function laterBreaks(report: DailyReport): Markup | string {
  const { laterBreaks: rows } = report;
  if (rows === undefined) return '';
  return listed(rows, {
    title: 'Breaks opened after the cut-off that explain a difference',
    none: 'No break opened after the cut-off explains a difference.',
    columns: [
      { title: 'Opened (UTC)', cell: ({ openedAt }) => openedAt, is: 'time' },
      ...breakColumns(report),
    ],
  });
}

/** Exempt differences by rule; absent in older days and in days closed late. */
export function exempt({ exempt: counts }: DailyReport): Markup | string {
  if (counts === undefined) return '';
  return listed(Object.entries(counts), {
    title: 'Exempt by rule',
    none: 'No rule exempted a difference.',
    columns: [
      { title: 'Rule', cell: ([rule]) => rule },
      { title: 'Differences', cell: ([, count]) => count, is: 'number' },
    ],
  });
}
