import type { Owner } from '../../store/replicated/shared-journal.ts';

/**
 * Where facts go now.
 *
 * | route | a fact |
 * |---|---|
 * | `owner` | goes to this receiver's own writer |
 * | `follower` | goes to the owner's writer |
 * | `pending` | waits for a moment: the owner changes, or the journal cannot be reached |
 * | `refusing` | is refused at once: only a person can change that |
 */
export type FactRoute =
  | { readonly kind: 'owner' }
  | { readonly kind: 'follower'; readonly owner: Owner }
  | { readonly kind: 'pending'; readonly cause: string }
  | { readonly kind: 'refusing'; readonly cause: string };
