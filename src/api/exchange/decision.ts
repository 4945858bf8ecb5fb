import { z } from '@hono/zod-openapi';
import type { Decision } from '../../domain/fact/decision.ts';
import type { FactOutcome, Unavailable } from '../../store/port.ts';
import type { Caller } from '../access.ts';
import { optionalBody, tooLong } from '../formats.ts';
import { ProblemError, refusalProblem } from '../problem.ts';
import type { Services } from '../services.ts';

const REASON_CHARACTERS_MAX = 1_000;

const DETAILS = {
  busy: 'The store is busy; nothing was changed. Try again.',
  unkept: 'The store takes no decisions now; nothing was changed. Try again.',
  // A lost connection to the journal tells nobody whether the journal kept the decision.
  unavailable:
    'The store did not confirm the decision. It may have been recorded: look before you repeat it.',
  unconfirmed:
    'The store did not confirm the acknowledgement. It may have been recorded: send it again with the same reference.',
} as const;

function detailOf(outcome: { readonly kind: 'busy' } | Unavailable, decision: Decision): string {
  if (outcome.kind === 'busy') return DETAILS.busy;
  if (outcome.effect === 'none') return DETAILS.unkept;
  return decision.kind === 'acknowledge' ? DETAILS.unconfirmed : DETAILS.unavailable;
}

/** Text of a person or consumer for the journal; it must not be empty. */
export function statement(charactersMax: number) {
  return z.string().trim().min(1, 'must not be empty').max(charactersMax, tooLong(charactersMax));
}

export const reasonText = statement(REASON_CHARACTERS_MAX);

/** The body of a decision that only needs a reason. */
export const reasonBody = z.strictObject({ reason: reasonText }).openapi('Reason');

/** The body of a call that may be sent without one: a reason, which the journal keeps. */
export const optionalReason = optionalBody(
  z.strictObject({ reason: reasonText.optional() }).openapi('OptionalReason'),
);

/**
 * Journals a decision in the caller's name and waits until it is durable. Throws the problem of a
 * refusal.
 */
export async function recordDecision(
  services: Pick<Services, 'submit' | 'now'>,
  caller: Caller,
  decision: Decision,
): Promise<Extract<FactOutcome, { kind: 'taken' | 'unchanged' }>> {
  const at = services.now();
  const outcome = await services.submit({ kind: 'decision', at, actor: caller.name, decision });
  if (outcome.kind === 'not_taken') throw refusalProblem(outcome.refusal);
  if (outcome.kind === 'busy' || outcome.kind === 'unavailable') {
    throw new ProblemError({ kind: 'unavailable', detail: detailOf(outcome, decision) });
  }
  if (outcome.kind !== 'taken' && outcome.kind !== 'unchanged') {
    throw new Error(`a decision ended as ${outcome.kind}`);
  }
  return outcome;
}
