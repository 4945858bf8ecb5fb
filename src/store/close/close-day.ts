import { hash } from 'node:crypto';
import { reportOf } from '../../domain/close/daily-report.ts';
import { foldDay } from '../../domain/close/fold.ts';
import type { CloseRecord } from '../../domain/close/record.ts';
import type { DailyReport } from '../../domain/close/report.ts';
import { storedAmount, type Amount } from '../../domain/money/amount.ts';
import type { CloseSource, PositionTotal, SealedPositions } from '../port.ts';
import type { CustodyEffectRow, DailyCloseRow } from '../records.ts';
import { OpenDay } from './open-day.ts';

/** A day's sealed report, and the rows that the store writes with it. */
export interface ComputedDay {
  readonly row: Omit<DailyCloseRow, 'seq'>;
  readonly totals: DailyReport['totals'];
  readonly positions: SealedPositions;
  readonly effects: readonly CustodyEffectRow[];
}

/** The SHA-256 of a report's text, hex. The day's row and the next day's report hold it. */
export function reportHashOf(report: string): string {
  return hash('sha256', report);
}

/**
 * Computes the sealed report of a day in three steps: fold the day's hashes, compare with the chain
 * view and custody, seal. The result depends only on the record and on the facts in `source`. A
 * reader computes it from one snapshot, and a replay computes the same at the same journal
 * position. `at`: when the day is closed, Unix milliseconds.
 */
export function computeDay(record: CloseRecord, source: CloseSource, at: number): ComputedDay {
  const day = new OpenDay(record, source);
  const fold = foldDay(day.hashes(), day.context);
  const report = reportOf(
    {
      record,
      at,
      previous: day.previous,
      compared: day.compared,
      custodyMoved: day.custodyMoved,
      countedLate: day.countedLate,
      openBreaks: source.breaksOpenAt(record.throughSeq),
      breakOf: (breakId) => source.break(breakId),
      hasChainView: (vaultId) => source.hasChainView(vaultId),
      decimals: (asset) => source.decimals(asset),
    },
    fold,
  );
  return seal(day, report, { source, at });
}

function seal(
  { record, previous, effectRows }: OpenDay,
  report: DailyReport,
  { source, at }: { readonly source: CloseSource; readonly at: number },
): ComputedDay {
  const text = JSON.stringify(report);
  const { day, timezone, cutOffAt, throughSeq } = record;
  return {
    row: {
      day,
      timezone,
      cutOffAt,
      closedAt: at,
      throughSeq,
      commitNumber: record.seal.commitNumber,
      sealHash: record.seal.hash,
      status: report.status,
      custodyCompared: record.custody.kind === 'read',
      report: text,
      reportHash: reportHashOf(text),
      previousReportHash: previous?.reportHash ?? null,
    },
    totals: report.totals,
    positions: source.positionsAt({ afterSeq: previous?.throughSeq ?? 0, throughSeq }),
    effects: effectRows,
  };
}

type AsText<Row> = Omit<Row, 'amount'> & { readonly amount: string };

type Packed = Omit<ComputedDay, 'effects' | 'positions'> & {
  readonly effects: readonly AsText<CustodyEffectRow>[];
  readonly positions: Omit<SealedPositions, 'totals'> & {
    readonly totals: readonly AsText<PositionTotal>[];
  };
};

function textAmount<Row extends { readonly amount: Amount }>(row: Row): AsText<Row> {
  return { ...row, amount: row.amount.toString() };
}

function readAmount<Row extends { readonly amount: string }>(row: Row) {
  return { ...row, amount: storedAmount(row.amount) };
}

/**
 * A computed day as JSON text; amounts are decimal strings. Threads exchange it as text because
 * one long text crosses faster than a hundred thousand rows.
 */
export function packDay({ effects, positions, ...rest }: ComputedDay): string {
  return JSON.stringify({
    ...rest,
    effects: effects.map(textAmount),
    positions: { ...positions, totals: positions.totals.map(textAmount) },
  } satisfies Packed);
}

/** Reads what `packDay` wrote. Throws for any other text. */
export function unpackDay(text: string): ComputedDay {
  const { effects, positions, ...rest } = JSON.parse(text) as Packed;
  return {
    ...rest,
    effects: effects.map(readAmount),
    positions: { ...positions, totals: positions.totals.map(readAmount) },
  };
}
