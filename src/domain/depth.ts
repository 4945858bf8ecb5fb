/** Whether webhooks can ever show a policy's depth on a network. */
export type DepthReach =
  /** A notification is delivered at exactly this depth. */
  | { readonly kind: 'published' }
  /** None at this depth; the next one is deeper. */
  | { readonly kind: 'late'; readonly reachedAt: number }
  /** No delivered notification is that deep: the sweep reads the depth from the API instead. */
  | { readonly kind: 'never'; readonly deepest: number | null };

/**
 * Compares a policy depth with the depths that a network publishes, of which a subscription's
 * confirmation override suppresses all deeper ones (spec, subscription behaviour 2).
 */
export function depthReach(
  required: number,
  network: { readonly published: readonly number[]; readonly override: number | null },
): DepthReach {
  const { published, override } = network;
  const delivered = published.filter((depth) => override === null || depth <= override);
  if (delivered.includes(required) || required === 0) return { kind: 'published' };
  const deeper = delivered.filter((depth) => depth > required);
  return deeper.length > 0
    ? { kind: 'late', reachedAt: Math.min(...deeper) }
    : { kind: 'never', deepest: delivered.length > 0 ? Math.max(...delivered) : null };
}
