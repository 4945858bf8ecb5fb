import type { Owner } from '../../store/replicated/shared-journal.ts';

/** What such a replica shows is old, and it takes tokens that were revoked since. */
export const NOT_LEVEL =
  'this replica does not hold the whole journal yet: wait while its position grows, and ask another receiver meanwhile';

/**
 * Where facts go now.
 *
 * | route | a fact |
 * |---|---|
 * | `owner` | goes to this receiver's own writer |
 * | `follower` | goes to the owner's writer; a decision waits until the replica is level |
 * | `pending` | waits for a moment: the owner changes, or the journal cannot be reached |
 * | `refusing` | is refused at once: only a person can change that |
 */
export type FactRoute =
  | { readonly kind: 'owner' }
  | { readonly kind: 'follower'; readonly owner: Owner; readonly isLevel: boolean }
  | { readonly kind: 'pending'; readonly cause: string }
  | { readonly kind: 'refusing'; readonly cause: string };
