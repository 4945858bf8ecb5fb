import type { Outcome } from '../../custody/call/outcome.ts';
import type { SkipCause } from '../../domain/deposit/record/comparison.ts';

/**
 * Whether further requests are useless now: the API does not answer, or the budget is used up.
 * Other failures concern only the requested subject.
 */
export function isOutOfReach(kind: Outcome<unknown>['kind']): boolean {
  return kind === 'unavailable' || kind === 'rate-budget';
}

/**
 * Whether a request was sent, and the service failed or did not answer in time. A subject that keeps
 * failing must lose its turn, so that it does not starve the others.
 */
export function hasFailed(outcome: Outcome<unknown>): boolean {
  if (outcome.kind !== 'unavailable') return false;
  const { kind } = outcome.cause;
  return kind === 'server-error' || kind === 'timeout';
}

/** A look-up without an answer. */
export interface FailedLookUp {
  readonly kind: 'failed';
  /** No further look-up can succeed in this run. */
  readonly final: boolean;
  /** The failure may concern the subject alone: it loses its turn. */
  readonly isAttempt: boolean;
  readonly cause: SkipCause;
}

/** The look-up that ended with this outcome. */
export function failedBy(outcome: Outcome<unknown>): FailedLookUp {
  const final = isOutOfReach(outcome.kind);
  const cause = outcome.kind === 'rate-budget' ? 'rate_budget' : 'api_unavailable';
  return { kind: 'failed', final, isAttempt: !final || hasFailed(outcome), cause };
}
