import type { Refusal } from '../../domain/fact/decision.ts';
import type { IntakeStatus } from '../../domain/fact/fact.ts';

/** The outcome of a decision; only `taken` is journalled. */
export type DecisionOutcome =
  | { readonly kind: 'taken'; readonly status?: IntakeStatus }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'not_taken'; readonly refusal: Refusal };
