import { reportOf } from '../domain/close-day.ts';
import { mayClose, type CloseRecord } from '../domain/close-record.ts';
import type { AssetId, BreakId, VaultId } from '../domain/ids.ts';
import { workOf } from './close-preparation.ts';
import type { DeskTools } from './desk-tools.ts';
import { OpenDay } from './open-day.ts';
import type { DailyCloseRow } from './records.ts';
import { sha256 } from './seal.ts';

/** The SHA-256 of a report's text, as its row and its successor name it. */
export function reportHashOf(report: string): string {
  return sha256(Buffer.from(report, 'utf8')).toString('hex');
}

/**
 * Closes a day: rolls the sealed balances forward by the day's entries, compares, and seals the
 * report. False when the rules refuse it (closed already, out of order, before its cut-off).
 */
export function takeClose(
  record: CloseRecord,
  { set, source, flush }: DeskTools,
  now: {
    readonly seq: number;
    readonly at: number;
    /** The day worked out before (`prepareClose`). */
    readonly preparation?: string | undefined;
  },
): boolean {
  flush();
  const { closes } = source;
  const last = closes.last();
  const { throughSeq } = record;
  const times = {
    through: closes.recordedAt(throughSeq),
    next: throughSeq + 1 < now.seq ? closes.recordedAt(throughSeq + 1) : now.at,
  };
  if (!mayClose(record, { last, at: now.at, seq: now.seq, times })) return false;
  const day = new OpenDay(record, closes);
  const { previous, compared, custodyMoved } = day;
  const { fold, positions } = workOf(day, source, now.preparation);
  set.putCustodyEffects(day.effectRows);
  const inputs = {
    record,
    at: now.at,
    previous,
    compared,
    custodyMoved,
    openBreaks: closes.breaksOpenAt(throughSeq),
    breakOf: (breakId: BreakId) => source.break(breakId),
    wasChainTold: (vaultId: VaultId) => closes.wasChainTold(vaultId),
    decimals: (asset: AssetId) => set.pinnedDecimals(asset),
  };
  const report = reportOf(inputs, fold);
  const text = JSON.stringify(report);
  const row: DailyCloseRow = {
    day: record.day,
    seq: now.seq,
    timezone: record.timezone,
    cutOffAt: record.cutOffAt,
    closedAt: now.at,
    throughSeq,
    commitNumber: record.seal.commitNumber,
    sealHash: record.seal.hash,
    status: report.status,
    custodyCompared: record.custody.kind === 'read',
    report: text,
    reportHash: reportHashOf(text),
    previousReportHash: last?.reportHash ?? null,
  };
  set.addClose({ row, totals: report.totals, positions });
  return true;
}
