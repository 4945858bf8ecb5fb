import { differenceOf } from '../../src/domain/break/break.ts';
import type { Outcome } from '../../src/domain/deposit/record/comparison.ts';

/** A moment at which the grace of everything that changed before 400,000 is over. */
export const LATE = { at: 1_000_000, graceMs: 600_000 };

/** `matched`, `skipped: cause`, `exempt: rule`, or `break: type difference`. */
export function shownOutcome(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'matched':
      return 'matched';
    case 'skipped':
      return `skipped: ${outcome.cause}`;
    case 'exempt':
      return `exempt: ${outcome.rule}`;
    case 'break': {
      const { type, severity } = outcome.finding;
      const difference = differenceOf(outcome.finding);
      return `${severity} ${type}${difference === null ? '' : ` ${difference}`}`;
    }
    default:
      return outcome satisfies never;
  }
}
