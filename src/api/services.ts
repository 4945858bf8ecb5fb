import type { CreditingPolicy } from '../domain/crediting.ts';
import type { Fact } from '../domain/fact.ts';
import type { Submitted } from '../store/port.ts';
import type { Documents } from '../report/document.ts';
import type { Reads } from '../store/reads.ts';
import type { ReconciliationRow } from '../store/records.ts';
import type { FeedSignal } from './feed-signal.ts';

/** Hands a fact to the commit queue; resolves when its effect is durable. */
export type Submit = (fact: Fact) => Promise<Submitted>;

/** What became of a request to close a day. */
export type CloseAnswer =
  | { readonly kind: 'closed' }
  | { readonly kind: 'too_early'; readonly cutOffAt: number }
  /** Nothing of that day is in the journal. */
  | { readonly kind: 'unknown' }
  /** Not now, and why: the custody API, or the store. */
  | { readonly kind: 'unavailable'; readonly reason: string };

/** What became of a request for a run. */
export type RunAnswer =
  | { readonly kind: 'ran'; readonly run: ReconciliationRow }
  /** The store took nothing of it, and why. */
  | { readonly kind: 'not_recorded'; readonly cause: string };

/** What the routes of the crediting policy need beside the store. */
export interface PolicyServices {
  /** Checks a policy as the configuration is checked; problems are `path: what is wrong`. */
  readonly check: (
    json: unknown,
  ) =>
    | { readonly kind: 'ok'; readonly policy: CreditingPolicy }
    | { readonly kind: 'invalid'; readonly problems: readonly string[] };
  /** What looks misspelt or out of reach, one sentence each; empty when nothing does. */
  readonly warnings: (policy: CreditingPolicy) => Promise<readonly string[]>;
  /** Told of a change: deposits that its commit has not judged are judged after it. */
  readonly changed: () => void;
}

/** What the routes work with. */
export interface Services {
  readonly reads: Reads;
  /** Closed days as documents; a large one takes seconds to make, and not on this thread. */
  readonly document: Documents;
  readonly submit: Submit;
  /** Unix milliseconds; stamps decisions. */
  readonly now: () => number;
  readonly feed: FeedSignal;
  readonly policy: PolicyServices;
  /** Runs one reconciliation. Calls at the same time run one after the other. */
  readonly reconcile: () => Promise<RunAnswer>;
  /** Closes every day up to this one, in order, unless its cut-off is still to come. */
  readonly close: (day: string) => Promise<CloseAnswer>;
}
