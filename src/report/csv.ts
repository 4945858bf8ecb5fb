import type { DailyReport, ReportTotal } from '../domain/close-report.ts';
import { CATEGORIES } from '../domain/roll-forward.ts';
import type { SignedReport } from './signed-report.ts';

/** Columns of every line; a line fills those of its record. */
const COLUMNS = [
  'record',
  'day',
  'vaultId',
  'asset',
  'decimals',
  'opening',
  ...CATEGORIES,
  'closing',
  'chainClosing',
  'chainDifference',
  'chainUntold',
  'custodyClosing',
  'custodyDifference',
  'network',
  'blockchainHash',
  'kind',
  'expected',
  'actual',
  'difference',
  'amount',
  'breakId',
  'severity',
  'state',
  'ageSeconds',
  'at',
  'person',
  'detail',
] as const;
type Column = (typeof COLUMNS)[number];
type Line = Partial<Record<Column, string | number | null>>;

const NUMBER = /^-?[0-9]+$/;

/** A text that a spreadsheet would run as a formula is shown as text; amounts stay amounts. */
function safe(value: string): string {
  return /^[=+\-@\t\r]/.test(value) && !NUMBER.test(value) ? `'${value}` : value;
}

function cell(value: string | number | null | undefined): string {
  if (value === null || value === undefined) return '';
  const text = safe(String(value));
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function totalLine(total: ReportTotal): Line {
  return { record: 'total', ...total };
}

function linesOf({ report, reportHash, signatures }: SignedReport): Line[] {
  const head: Line = {
    record: 'report',
    kind: report.status,
    at: report.cutOffAt,
    detail: `sha256:${reportHash}`,
  };
  return [
    head,
    ...report.totals.map(totalLine),
    ...report.exceptions.map(({ kind, detail }) => ({ record: 'exception', kind, detail })),
    ...report.differences.map(({ against, explanation, ...one }) => ({
      ...one,
      record: `${against}_difference`,
      kind: explanation,
    })),
    ...report.inTransit.map((one) => ({ ...one, record: 'in_transit' })),
    ...priorDayLines(report),
    ...report.openBreaks.map(({ type, openedAt, ...one }) => ({
      ...one,
      record: 'open_break',
      kind: type,
      at: openedAt,
    })),
    ...Object.entries(report.exempt ?? {}).map(([rule, count]) => ({
      record: 'exempt',
      kind: rule,
      detail: String(count),
    })),
    ...signatures.map(({ role, person, reason, signedAt }) => ({
      record: 'signature',
      kind: role,
      person,
      at: new Date(signedAt).toISOString(),
      detail: reason,
    })),
  ];
}

function priorDayLines({ priorDay }: DailyReport): Line[] {
  return priorDay.map(({ reason, day, eventAt, detail, ...one }) => ({
    ...one,
    record: 'prior_day',
    kind: reason,
    at: eventAt,
    detail: `belongs to ${day}: ${detail}`,
  }));
}

/** RFC 4180: one line a record, told apart by the first column; amounts in smallest units. */
export function csvText(report: SignedReport): string {
  const { day } = report.report;
  const lines = linesOf(report).map((line) =>
    COLUMNS.map((column) => cell(column === 'day' ? day : line[column])).join(','),
  );
  return `${[COLUMNS.join(','), ...lines].join('\r\n')}\r\n`;
}
