import {
  compareSeverity,
  figuresOf,
  RECONCILER,
  type Break,
  type BreakStep,
  type Severity,
} from './break.ts';
import { durationText } from './duration.ts';

/** After how long an unresolved break grows more severe, in milliseconds; null: never. */
export interface Escalation {
  readonly infoToWarningAfterMs: number | null;
  /** From when it is a warning: an `info` has been one for its own time before. */
  readonly warningToCriticalAfterMs: number | null;
}

/** One row of the table at a moment: which unresolved breaks are due for which severity. */
export interface EscalationStep {
  readonly severity: Severity;
  readonly originalSeverity: Severity;
  readonly to: Severity;
  readonly afterMs: number;
  /** Due when opened at or before this time, Unix milliseconds. */
  readonly openedUntil: number;
}

/** Escalations per run: the oldest first, the rest in the runs after. */
export const ESCALATIONS_PER_RUN_MAX = 1_000;

/** The steps of the table as they stand at `at`; a break takes one of them per run. */
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
 * A break that grew more severe by age; that somebody investigates does not stop it, only its
 * resolution does. Null when it is not due by this step any more.
 */
export function escalated(known: Break, step: EscalationStep, at: number): BreakStep | null {
  const due =
    known.state !== 'resolved' &&
    known.openedAt <= step.openedUntil &&
    compareSeverity(known.severity, step.to) < 0;
  if (!due) return null;
  const after: Break = { ...known, severity: step.to, updatedAt: at };
  return {
    after,
    event: {
      breakId: known.breakId,
      at,
      actor: RECONCILER,
      action: 'escalated',
      reason: `unresolved for ${durationText(step.afterMs)}: ${known.severity} → ${step.to}`,
      before: figuresOf(known),
      after: figuresOf(after),
    },
  };
}
