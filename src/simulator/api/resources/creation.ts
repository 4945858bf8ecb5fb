import type { Change, Creation, Refused } from '../../world/outcome.ts';
import { createdOrExisting, forbidden, ok } from '../answer.ts';
import type { Answer, Refusal } from '../answer.ts';

/** Answers the world's `AU-1` with 403: the world knows the caller, who lacks a permission. */
export function worldRefusal(refusal: Refused): Refusal {
  return refusal.code === 'AU-1' ? forbidden(refusal.message) : refusal;
}

/**
 * Answers an idempotent creation: 201 new, 200 existing (the specification, section "Idempotent
 * creation").
 */
export function creationAnswer(outcome: Creation<object>): Answer {
  if (outcome.kind === 'refused') return worldRefusal(outcome);
  return createdOrExisting(outcome.kind, outcome.record);
}

/** Answers a change of a record: 200 with the record, or the refusal. */
export function changeAnswer(outcome: Change<object>): Answer {
  return outcome.kind === 'refused' ? worldRefusal(outcome) : ok(outcome.record);
}
