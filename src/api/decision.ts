import { z } from '@hono/zod-openapi';
import type { Decision } from '../domain/decision.ts';
import type { FactOutcome } from '../store/port.ts';
import type { Caller } from './access.ts';
import { ProblemError, refusalProblem } from './problem.ts';
import type { Services } from './services.ts';

const REASON_CHARACTERS_MAX = 1_000;

/** Text that a person or a consumer gives; it ends up in the journal, so it must say something. */
export function statement(charactersMax: number) {
  return z.string().trim().min(1, 'must not be empty').max(charactersMax);
}

export const reasonText = statement(REASON_CHARACTERS_MAX);

/** The body of every decision that needs nothing else. */
export const reasonBody = z.strictObject({ reason: reasonText }).openapi('Reason');

/**
 * Journals a decision in the caller's name and waits until it is durable. Throws the problem that
 * answers a refusal.
 */
export async function decide(
  services: Pick<Services, 'submit' | 'now'>,
  caller: Caller,
  decision: Decision,
): Promise<Extract<FactOutcome, { kind: 'taken' | 'unchanged' }>> {
  const at = services.now();
  const outcome = await services.submit({ kind: 'decision', at, actor: caller.name, decision });
  if (outcome.kind === 'not_taken') throw refusalProblem(outcome.refusal);
  if (outcome.kind === 'busy' || outcome.kind === 'unavailable') {
    const detail = 'The store takes nothing now, and nothing was changed: try again.';
    throw new ProblemError({ kind: 'unavailable', detail });
  }
  if (outcome.kind !== 'taken' && outcome.kind !== 'unchanged') {
    throw new Error(`a decision ended as ${outcome.kind}`);
  }
  return outcome;
}
