import { mayClose, type CloseRecord } from '../../domain/close/record.ts';
import { computeDay, unpackDay, type ComputedDay } from '../close/close-day.ts';
import type { CloseSource } from '../port.ts';
import type { DailyCloseRow } from '../records.ts';
import type { HandlerContext } from './handler-context.ts';

interface Now {
  readonly seq: number;
  readonly at: number;
  /** The day as it was computed at `record.asOf`, packed. */
  readonly computed: string | undefined;
}

/**
 * Closes a day: seals the report that was computed for the fact. False when the rules refuse it:
 * the day is closed already, out of order or not over, or another day was closed meanwhile.
 */
export function takeClose(
  record: CloseRecord,
  { unit, source, flush }: HandlerContext,
  now: Now,
): boolean {
  flush();
  const { closes } = source;
  const { throughSeq } = record;
  const last = closes.last();
  const times = {
    through: closes.recordedAt(throughSeq),
    next: throughSeq + 1 < now.seq ? closes.recordedAt(throughSeq + 1) : now.at,
  };
  if (!mayClose(record, { last, at: now.at, seq: now.seq, times })) return false;
  const day = dayOf(record, { ...now, closes, last });
  if (day === undefined) return false;
  const { row, totals, positions, effects } = day;
  unit.putCustodyEffects(effects);
  unit.append('closes', { row: { ...row, seq: now.seq }, totals, positions });
  return true;
}

/** Undefined where the day was computed before the last close, or never. */
function dayOf(
  record: CloseRecord,
  {
    closes,
    last,
    at,
    computed,
  }: Now & { readonly closes: CloseSource; readonly last: DailyCloseRow | undefined },
): ComputedDay | undefined {
  // A fact without a position closes the day by every fact before it.
  if (record.asOf === undefined) return computeDay(record, closes, at);
  const day = computed === undefined ? undefined : unpackDay(computed);
  const isNext = day?.row.previousReportHash === (last?.reportHash ?? null);
  return isNext ? day : undefined;
}
