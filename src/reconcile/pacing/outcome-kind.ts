import type { Outcome } from '../../custody/call/outcome.ts';

/**
 * Whether further requests are useless now: the API does not answer, or the budget is used up.
 * Other failures concern only the requested subject.
 */
export function isOutOfReach(kind: Outcome<unknown>['kind']): boolean {
  return kind === 'unavailable' || kind === 'rate-budget';
}

/**
 * Whether a request was sent and failed. A subject that keeps failing must lose its turn, so that
 * it does not starve the others.
 */
export function hasFailed(outcome: Outcome<unknown>): boolean {
  return outcome.kind === 'unavailable' && outcome.cause.kind === 'server-error';
}
