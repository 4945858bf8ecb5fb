import type { Refusal } from '../../domain/fact/decision.ts';
import type { RuleContext } from '../../domain/hash/hash-state.ts';
import type { FactOutcome, RecordSource } from '../port.ts';
import type { UnitOfWork } from '../unit/unit-of-work.ts';

/** The unit of work, the store behind it, and an early flush. */
export interface HandlerContext {
  readonly unit: UnitOfWork;
  readonly source: RecordSource;
  /** Scans of the store see only what has been written. */
  readonly flush: () => void;
}

/** When and under what policy the fact at `seq` is taken. */
export type Now = RuleContext & { readonly seq: number };

type Taken = Extract<FactOutcome, { kind: 'taken' }>;

/** The outcome of a decision, before it is journalled; only `taken` is. */
export type DecisionOutcome =
  Omit<Taken, 'seq'> | Exclude<FactOutcome, Taken | { kind: 'delivery' }>;

/** A decision that is taken. */
export const TAKEN: DecisionOutcome = { kind: 'taken' };

/** A decision that is not taken, and why. */
export function refused(kind: Refusal['kind'], detail: string): DecisionOutcome {
  return { kind: 'not_taken', refusal: { kind, detail } };
}
