import { storedAmount } from '../../../domain/money/amount.ts';
import type {
  Break,
  BreakAction,
  BreakFigures,
  BreakState,
  Severity,
} from '../../../domain/break/break.ts';
import { BreakId } from '../../../domain/ids.ts';
import type { StoredBreakEvent } from '../../records.ts';
import { findingColumns, findingOf } from './finding-row.ts';
import type { BreakEventRow, BreakRow } from '../table/break-tables.ts';

/** Reads a break from its row. */
export function breakOf(row: BreakRow): Break {
  return {
    ...findingOf(row),
    breakId: BreakId(row.break_id),
    originalSeverity: row.original_severity as Severity,
    state: row.state as BreakState,
    assignee: row.assignee,
    openedAt: row.opened_at,
    updatedAt: row.updated_at,
    resolvedAt: row.resolved_at,
    resolvedBy: row.resolved_by,
    resolution: row.resolution,
  };
}

/** The row of a break. */
export function breakRow(one: Break): BreakRow {
  return {
    ...findingColumns(one),
    break_id: one.breakId,
    original_severity: one.originalSeverity,
    state: one.state,
    assignee: one.assignee,
    opened_at: one.openedAt,
    updated_at: one.updatedAt,
    resolved_at: one.resolvedAt,
    resolved_by: one.resolvedBy,
    resolution: one.resolution,
  };
}

function packFigures(figures: BreakFigures | null): string | null {
  if (figures === null) return null;
  const { expected, actual, severity } = figures;
  return JSON.stringify({
    expected: expected?.toString() ?? null,
    actual: actual?.toString() ?? null,
    severity,
  });
}

function unpackFigures(text: string | null): BreakFigures | null {
  if (text === null) return null;
  const { expected, actual, severity } = JSON.parse(text) as {
    [Figure in 'expected' | 'actual']: string | null;
  } & { severity: Severity };
  return {
    expected: expected === null ? null : storedAmount(expected),
    actual: actual === null ? null : storedAmount(actual),
    severity,
  };
}

/** Reads an event of a break's history from its row. */
export function breakEventOf(row: BreakEventRow): StoredBreakEvent {
  return {
    seq: row.seq,
    breakId: BreakId(row.break_id),
    at: row.at,
    actor: row.actor,
    action: row.action as BreakAction,
    reason: row.reason,
    before: unpackFigures(row.figures_before),
    after: unpackFigures(row.figures_after),
  };
}

/** The row of an event of a break's history. */
export function breakEventRow(event: StoredBreakEvent): BreakEventRow {
  return {
    break_id: event.breakId,
    seq: event.seq,
    at: event.at,
    actor: event.actor,
    action: event.action,
    reason: event.reason,
    figures_before: packFigures(event.before),
    figures_after: packFigures(event.after),
  };
}
