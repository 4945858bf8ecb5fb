import type { Outcome } from '../custody/outcome.ts';

/**
 * Whether an answer says that there is no use asking for anything else now: the API does not answer,
 * or the budget is used up. Any other answer is about what was asked for alone.
 */
export function isOutOfReach(kind: Outcome<unknown>['kind']): boolean {
  return kind === 'unavailable' || kind === 'rate-budget';
}

/**
 * Whether the API was asked and failed, as against one that could not be asked: what keeps failing
 * must lose its turn, or it would keep every other from it.
 */
export function hasFailed(outcome: Outcome<unknown>): boolean {
  return outcome.kind === 'unavailable' && outcome.cause.kind === 'server-error';
}
