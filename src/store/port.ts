import type { CloseRecord } from '../domain/close-record.ts';
import type { Refusal } from '../domain/decision.ts';
import type { Fact, IntakeStatus } from '../domain/fact.ts';
import type { Notification } from '../domain/notification.ts';
import type { PackedBody } from './body-block.ts';
import type { CommitNews } from './commit-news.ts';

/**
 * A delivery as it came in; the ledger reads it (`DecodeBody`) on its own side of the port.
 * `defect`: booking it failed by a bug before, and it is to be kept in quarantine for that.
 */
export interface Delivery {
  readonly kind: 'delivery';
  readonly at: number;
  /** The body exactly as received. */
  readonly raw: Uint8Array;
  readonly defect?: string;
  /** The same body, where it was packed on the way. */
  readonly packed?: PackedBody | undefined;
  /** What the same body says, where it was read on the way. */
  readonly notification?: Notification | undefined;
}

/**
 * The fact that closes a day, with what was worked out for it beside the writer (`Reads.prepareClose`).
 * Only the fact is journalled: its effect is the same without.
 */
export interface PreparedClose {
  readonly kind: 'prepared-close';
  readonly at: number;
  readonly record: CloseRecord;
  readonly preparation: string;
}

/** What a ledger is given to commit. */
export type Submission = Fact | Delivery | PreparedClose;

/** What became of a submission. */
export type FactOutcome =
  /** A delivery: journalled, or a repeat that was only counted. */
  | { readonly kind: 'delivery'; readonly status: IntakeStatus | 'refused' }
  /** A delivery whose bytes are no notification at all; nothing of it was kept. */
  | { readonly kind: 'malformed'; readonly defect: string }
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
 * The writing side of a store. One commit is one transaction and one fsync: `committed` means that
 * the facts' bytes and their whole effect are durable. A rejection is a bug, and nothing was kept.
 */
export interface Ledger {
  commit(submissions: readonly Submission[]): Promise<CommitResult>;
}

/** How a raw body reads; needed to retry what was quarantined and to replay the journal. */
export type DecodeBody = (raw: Uint8Array) => DecodedBody;

/**
 * How the bytes of a delivery read. `malformed`: not a notification at all (400). `quarantined`: a
 * JSON object with an id that this version cannot understand; kept aside so that it never blocks
 * its vault's queue. `digest`: of the body without `timestamp`, worked out when it is asked for.
 */
export type DecodedBody =
  | {
      readonly kind: 'notification';
      readonly notification: Notification;
      readonly digest: () => string;
    }
  | {
      readonly kind: 'quarantined';
      readonly id: string;
      readonly digest: () => string;
      readonly defect: string;
    }
  | { readonly kind: 'malformed'; readonly defect: string };
