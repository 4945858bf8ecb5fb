import type { Failure } from '../reading/messages.ts';
import type { FactOutcome, Submission } from '../../store/port.ts';

/** What the program gives the writer when it starts it. */
export interface WriterOptions {
  readonly path: string;
}

/** Another submission than a plain delivery, at its place in the batch. */
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
}

/** `tidy`: what the checkpointer has copied is behind; let the log begin anew. */
export type ToWriter =
  | { readonly kind: 'commit'; readonly batch: Batch }
  | { readonly kind: 'tidy' }
  | { readonly kind: 'close' };

/** `codes`: how each delivery ended, an index of `DELIVERY_CODES`, or `OTHER` with its outcome. */
export type FromWriter =
  | { readonly kind: 'open' }
  | { readonly kind: 'refused'; readonly failure: Failure }
  | {
      readonly kind: 'committed';
      readonly id: number;
      readonly codes: Uint8Array;
      readonly others: readonly Placed<FactOutcome>[];
    }
  | { readonly kind: 'unavailable'; readonly id: number; readonly cause: string }
  | { readonly kind: 'failed'; readonly id: number; readonly failure: Failure }
  | { readonly kind: 'closed' };

export const DELIVERY_CODES = ['accepted', 'duplicate', 'quarantined', 'refused'] as const;
export const OTHER = 255;
