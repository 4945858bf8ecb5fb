import type { Refusal } from '../domain/fact/decision.ts';
import type { Fact, IntakeStatus } from '../domain/fact/fact.ts';
import type { Notification } from '../domain/fact/notification.ts';
import type { CommitNews } from './commit-news.ts';

/** What became of a fact. */
export type FactOutcome =
  /** What was delivered: journalled, or a repeat that was only counted. */
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

/**
 * `news`: what the commit changed that the verifier waits for, where it did. `unavailable`: the store
 * cannot write now (full disk, I/O error, lock); nothing was kept.
 */
export type CommitResult =
  | {
      readonly kind: 'committed';
      readonly outcomes: readonly FactOutcome[];
      readonly news?: CommitNews | undefined;
    }
  | { readonly kind: 'unavailable'; readonly cause: string };

/**
 * The store failed while a rule was reading. The failure says nothing about the fact at hand, so the
 * fact is not quarantined. `cause`: the store's own error.
 */
export class StoreFailed extends Error {
  override readonly name = 'StoreFailed';

  constructor(cause: unknown) {
    super('the store failed while a rule was reading', { cause });
  }
}

/**
 * The writing side of a store. One commit is one transaction and one fsync: `committed` means that
 * the facts' bytes and their whole effect are durable. A failure of the disk or the connection is
 * `unavailable`. A rejection is a bug, and nothing was kept.
 *
 * Entries, breaks and quarantined bodies get their ids before the commit, from the fact's journal
 * position: the last position + 1 (`IdMint`, `quarantineIdOf`). The ids of deposits and credits are
 * digests of their content. A store that several processes write must give the position under a lock,
 * and take the facts again when the commit fails.
 *
 * Values that the writer caches between commits: balances (absolute), ids of ledger accounts, pinned
 * decimals, the policy and the exemption rules. Such a store must read them again in each commit.
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
  | { readonly kind: 'notification'; readonly notification: Notification }
  | { readonly kind: 'quarantined'; readonly id: string; readonly defect: string }
  | { readonly kind: 'malformed'; readonly defect: string };
