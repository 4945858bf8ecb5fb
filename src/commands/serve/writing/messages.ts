import type { Failure } from '../reading/messages.ts';
import type { BodyBlock } from '../../../store/body-block.ts';
import type { CommitNews } from '../../../store/commit-news.ts';
import type { FactOutcome, Submission } from '../../../store/port.ts';
import type { KeySpace } from '../../../store/sqlite/key-index.ts';

/** What the program gives the checkpointer when it starts it. */
export interface CheckpointerOptions {
  readonly path: string;
}

/** What the program gives the writer when it starts it. */
export interface WriterOptions {
  readonly path: string;
  /** Most facts of one transaction. */
  readonly batchMax: number;
}

/** Something that belongs to one fact of a batch or transaction, or begins there: at its place. */
export interface Placed<Item> {
  readonly index: number;
  readonly item: Item;
}

/**
 * A batch on its way to the writer. The bodies of deliveries stand one behind the other in one
 * buffer that changes hands; `heads` holds when each came and how long it is, two numbers each, with
 * a length of -1 where the batch has another submission at that place.
 */
export interface Batch {
  readonly id: number;
  readonly heads: Float64Array<ArrayBuffer>;
  readonly bodies: Uint8Array<ArrayBuffer>;
  readonly others: readonly Placed<Submission>[];
  /** What each delivery says, as `notification-text.ts` writes it: the writer is the narrowest place. */
  readonly notifications: string;
  /** By the place of the first of the deliveries, all of them neighbours, whose bodies each packs. */
  readonly blocks: readonly Placed<BodyBlock>[];
}

/** `tidy`: what the checkpointer has copied is behind; let the log begin anew. */
export type ToWriter =
  | { readonly kind: 'commit'; readonly batch: Batch }
  | { readonly kind: 'tidy' }
  | { readonly kind: 'close' };

/** A transaction that was tried: its batches in their order, and how long it took, fsync included. */
export interface Transaction {
  readonly parts: readonly { readonly id: number; readonly facts: number }[];
  readonly durationMs: number;
}

/**
 * `opening`: which part of the keys of a space has been read, now and then until it is open.
 * `parted`: a transaction of several batches tripped a bug; each is tried by itself next, and answered
 * then. `codes`: how each delivery ended, an index of `DELIVERY_CODES`, or `OTHER` with its outcome.
 */
export type FromWriter =
  | { readonly kind: 'opening'; readonly space: KeySpace; readonly part: number }
  | { readonly kind: 'open' }
  | { readonly kind: 'refused'; readonly failure: Failure }
  | ({
      readonly kind: 'committed';
      readonly codes: Uint8Array;
      readonly others: readonly Placed<FactOutcome>[];
      readonly news?: CommitNews | undefined;
    } & Transaction)
  | ({ readonly kind: 'unavailable'; readonly cause: string } & Transaction)
  | ({ readonly kind: 'failed'; readonly failure: Failure } & Transaction)
  | { readonly kind: 'parted'; readonly facts: number; readonly durationMs: number }
  | { readonly kind: 'closed' };

export const DELIVERY_CODES = ['accepted', 'duplicate', 'quarantined', 'refused'] as const;
export const OTHER = 255;
