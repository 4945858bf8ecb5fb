import type { Change, Creation, Refused } from '../world/world.ts';
import { createdOrExisting, forbidden, ok } from './answer.ts';
import type { Answer, Refusal } from './answer.ts';

/** `AU-1` from the world always means that the caller is known but may not: 403. */
export function worldRefusal(refusal: Refused): Refusal {
  return refusal.code === 'AU-1' ? forbidden(refusal.message) : refusal;
}

/** Idempotent creation (section "Idempotent creation"): 201 new, 200 existing. */
export function creationAnswer(outcome: Creation<object>): Answer {
  if (outcome.kind === 'refused') return worldRefusal(outcome);
  return createdOrExisting(outcome.kind, outcome.record);
}

export function changeAnswer(outcome: Change<object>): Answer {
  return outcome.kind === 'refused' ? worldRefusal(outcome) : ok(outcome.record);
}
