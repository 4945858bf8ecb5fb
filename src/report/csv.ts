import type { DailyReport, ReportBreak } from '../domain/close/report.ts';
import { CATEGORIES } from '../domain/money/roll-forward.ts';
import { assetTotals } from './asset-totals.ts';
import type { DayMovement } from '../store/day-movement.ts';
import { csvCell } from './csv-cell.ts';
import { sentencesOf, type ShownSentence } from './sentence.ts';
import { NOT_ALL_MOVEMENTS, type SignedReport } from './signed-report.ts';
import { vaultNameOf } from './vault-name.ts';

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
  'vaultName',
  'custodyRead',
  'custodyAfterCutOff',
  'custodyBurnedFees',
  'transactionId',
  'leg',
  'datedBy',
  'from',
  'to',
  'count',
  'absolute',
  'entryId',
  'journalSeq',
  'notificationId',
  'accountId',
  'accountName',
  'addressId',
  'addressName',
  'memo',
] as const;
type Column = (typeof COLUMNS)[number];
type Line = Partial<Record<Column, string | number | null>>;

/** Open differences by asset, and custody movements after the cut-off. */
function newerLines(report: DailyReport, sentence: ShownSentence): Line[] {
  const {
    openDifferences = [],
    custodyAfterCutOff = [],
    unconfirmed = [],
    laterBreaks = [],
  } = report;
  return [
    ...openDifferences.map(({ against, ...one }) => ({
      ...one,
      record: 'open_difference',
      kind: against,
    })),
    ...custodyAfterCutOff.map((one) => ({ ...one, record: 'after_cut_off' })),
    ...unconfirmed.map((one) => ({ ...one, record: 'unconfirmed' })),
    ...laterBreaks.map((one) => breakLine('later_break', one, sentence)),
  ];
}

/** One line per figure that a hash moved, then one per line of its entries. */
function movementLines(movements: readonly DayMovement[]): Line[] {
  return movements.flatMap(({ amounts, entries, decimals: _, ...movement }) => [
    ...Object.entries(amounts).map(([figure, amount]) => ({
      ...movement,
      record: 'movement',
      kind: figure,
      amount: amount.toString(),
    })),
    ...entries.map(({ recordedAt, seq, source, amount, change, ...entry }) => ({
      ...movement,
      ...entry,
      record: 'entry',
      kind: change,
      journalSeq: seq,
      amount: amount.toString(),
      at: new Date(recordedAt).toISOString(),
      detail: source,
    })),
  ]);
}

function unshownLines({ isWhole }: SignedReport['movements']): Line[] {
  return isWhole ? [] : [{ record: 'movements_not_shown', detail: NOT_ALL_MOVEMENTS }];
}

function breakLine(
  record: string,
  { type, openedAt, detail, ...one }: ReportBreak,
  sentence: ShownSentence,
): Line {
  return { ...one, record, kind: type, at: openedAt, detail: sentence(detail, one.asset) };
}

function linesOf({ report, reportHash, signatures, movements }: SignedReport): Line[] {
  const head: Line = {
    record: 'report',
    kind: report.status,
    at: report.cutOffAt,
    detail: `sha256:${reportHash}`,
  };
  const sentence = sentencesOf(report);
  return [
    head,
    ...report.totals.map((total) => ({ ...total, record: 'total' })),
    ...assetTotals(report.totals).map((total) => ({ ...total, record: 'asset_total' })),
    ...report.exceptions.map(({ kind, detail }) => ({
      record: 'exception',
      kind,
      detail: sentence(detail, null),
    })),
    ...report.differences.map(({ against, explanation, detail, ...one }) => ({
      ...one,
      record: `${against}_difference`,
      kind: explanation,
      detail: sentence(detail, one.asset),
    })),
    ...report.inTransit.map((one) => ({ ...one, record: 'in_transit' })),
    ...priorDayLines(report),
    ...report.openBreaks.map((one) => breakLine('open_break', one, sentence)),
    ...newerLines(report, sentence),
    ...movementLines(movements.items),
    ...unshownLines(movements),
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

/** The cells of a line, in the order of the columns. */
function cells(line: Line, report: DailyReport): string {
  const { vaultId = null } = line;
  const vaultName = vaultNameOf(report, vaultId === null ? null : String(vaultId));
  const whole: Line = { ...line, day: report.day, vaultName };
  return COLUMNS.map((column) => csvCell(whole[column])).join(',');
}

/**
 * The report as CSV (RFC 4180): one record per line; the first column names its kind. Amounts are
 * in smallest units, and in sentences in the asset's own unit.
 */
export function csvText(signed: SignedReport): string {
  const lines = linesOf(signed).map((line) => cells(line, signed.report));
  return `${[COLUMNS.join(','), ...lines].join('\r\n')}\r\n`;
}
