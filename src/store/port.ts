import type { Refusal } from '../domain/decision.ts';
import type { Fact, IntakeStatus } from '../domain/fact.ts';
import type { Notification } from '../domain/notification.ts';

/** What became of a fact. */
export type FactOutcome =
  /** A delivery: journalled, or a repeat that was only counted. */
  | { readonly kind: 'delivery'; readonly status: IntakeStatus | 'refused' }
  /** Evidence or a decision that changed something; journalled at `seq`. */
  | { readonly kind: 'taken'; readonly seq: number; readonly status?: IntakeStatus }
  /** Evidence or a decision that changes nothing any more; not journalled. */
  | { readonly kind: 'unchanged' }
  /** A decision that the rules refuse; not journalled. */
  | { readonly kind: 'not_taken'; readonly refusal: Refusal };

/** What became of a submitted fact. `busy` and `unavailable`: nothing was kept, try again. */
export type Submitted =
  | FactOutcome
  | { readonly kind: 'busy' }
  | { readonly kind: 'unavailable'; readonly cause: string };

/** `unavailable`: the store cannot write now (full disk, I/O error, lock); nothing was kept. */
export type CommitResult =
  | { readonly kind: 'committed'; readonly outcomes: readonly FactOutcome[] }
  | { readonly kind: 'unavailable'; readonly cause: string };

/**
 * The writing side of a store. One commit is one transaction and one fsync: `committed` means that
 * the facts' bytes and their whole effect are durable. A rejection is a bug, and nothing was kept.
 */
export interface Ledger {
  commit(facts: readonly Fact[]): Promise<CommitResult>;
}

/** How a raw body reads; needed to retry what was quarantined and to replay the journal. */
export type DecodeBody = (raw: Uint8Array) => DecodedBody;

/**
 * How the bytes of a delivery read. `malformed`: not a notification at all (400). `quarantined`: a
 * JSON object with an id that this version cannot understand; kept aside so that it never blocks
 * its vault's queue.
 */
export type DecodedBody =
  | { readonly kind: 'notification'; readonly notification: Notification; readonly digest: string }
  | {
      readonly kind: 'quarantined';
      readonly id: string;
      readonly digest: string;
      readonly defect: string;
    }
  | { readonly kind: 'malformed'; readonly defect: string };
