/** Whether a day that is not closed can be closed now. Times are Unix milliseconds. */
export type Closable =
  | { readonly kind: 'ended' }
  | { readonly kind: 'too_early'; readonly cutOffAt: number }
  /** The journal has nothing of that day. `begins`: the day of its first fact; null: it has none. */
  | { readonly kind: 'before_journal'; readonly begins: string | null };
