import type { Fact } from '../domain/fact.ts';
import type { Submitted } from '../store/port.ts';
import type { Reads } from '../store/reads.ts';
import type { ReconciliationRow } from '../store/records.ts';
import type { FeedSignal } from './feed-signal.ts';

/** Hands a fact to the commit queue; resolves when its effect is durable. */
export type Submit = (fact: Fact) => Promise<Submitted>;

/** What the routes work with. */
export interface Services {
  readonly reads: Reads;
  readonly submit: Submit;
  /** Unix milliseconds; stamps decisions. */
  readonly now: () => number;
  readonly feed: FeedSignal;
  /** Runs one reconciliation and gives its row. Calls at the same time run one after the other. */
  readonly reconcile: () => Promise<ReconciliationRow>;
}
