import { changedTo, compareSeverity, type Break, type BreakStep, type Severity } from './break.ts';
import { durationText } from '../duration.ts';

/** After how many milliseconds an unresolved break becomes more severe; null: never. */
export interface Escalation {
  readonly infoToWarningAfterMs: number | null;
  /** Counted from the moment it became a warning. */
  readonly warningToCriticalAfterMs: number | null;
}

/** One escalation at a moment: which unresolved breaks are due for which severity. */
export interface EscalationStep {
  readonly severity: Severity;
  readonly originalSeverity: Severity;
  readonly to: Severity;
  readonly afterMs: number;
  /** Due when opened at or before this time, Unix milliseconds. */
  readonly openedUntil: number;
}

/** Most escalations per run: the oldest first, the others in later runs. */
export const ESCALATIONS_PER_RUN_MAX = 1_000;

/** The escalations at `at` (Unix milliseconds); a break takes one of them per run. */
export function escalationSteps(table: Escalation, at: number): EscalationStep[] {
  const { infoToWarningAfterMs: first, warningToCriticalAfterMs: second } = table;
  const step = (
    severity: Severity,
    originalSeverity: Severity,
    rise: { to: Severity; afterMs: number },
  ): EscalationStep => ({ severity, originalSeverity, ...rise, openedUntil: at - rise.afterMs });
  return [
    ...(second === null ? [] : [step('warning', 'warning', { to: 'critical', afterMs: second })]),
    ...(second === null || first === null
      ? []
      : [step('warning', 'info', { to: 'critical', afterMs: first + second })]),
    ...(first === null ? [] : [step('info', 'info', { to: 'warning', afterMs: first })]),
  ];
}

/**
 * Escalates a break by age; only its resolution stops that, an investigation does not. Null when
 * the break is not due by this step. `at`: Unix milliseconds.
 */
export function escalated(known: Break, step: EscalationStep, at: number): BreakStep | null {
  const due =
    known.state !== 'resolved' &&
    known.openedAt <= step.openedUntil &&
    compareSeverity(known.severity, step.to) < 0;
  if (!due) return null;
  const after: Break = { ...known, severity: step.to, updatedAt: at };
  const reason = `unresolved for ${durationText(step.afterMs)}: ${known.severity} → ${step.to}`;
  return changedTo(after, known, { at, action: 'escalated', reason });
}
