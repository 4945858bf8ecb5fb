import type { Owner } from './shared-journal.ts';

/**
 * What this receiver is to the shared journal.
 *
 * | role | commits | acts on the custody API | next |
 * |---|---|---|---|
 * | `owner` | yes | yes | `follower` when another receiver took over; `cut_off` |
 * | `follower` | hands facts to the owner | no | `owner` when no lease is valid; `cut_off`; `diverged` |
 * | `cut_off` | hands facts to an owner that it knows | no | `follower` when the journal and the replica can be written, and nothing bars it |
 * | `diverged` | no | no | none: a person decides |
 */
export type Role =
  | { readonly kind: 'owner'; readonly epoch: number }
  /**
   * `owner`: null while nobody owns the journal. `isLevel`: the replica held the whole journal some seconds
   * ago at most, and since this receiver last reached it.
   */
  | { readonly kind: 'follower'; readonly owner: Owner | null; readonly isLevel: boolean }
  /** `owner`: who keeps facts meanwhile; null while it is not known, or nobody does. */
  | { readonly kind: 'cut_off'; readonly cause: string; readonly owner: Owner | null }
  | { readonly kind: 'diverged'; readonly detail: string };
