import { ruleDepth, type CreditingPolicy } from './crediting.ts';
import type { NetworkKey } from './ids.ts';

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

/** A depth that some rule of a policy wants. `of`: a network key or an asset id. */
export interface WantedDepth {
  readonly of: string;
  readonly confirmations: number;
}

/** Whether a universal asset id is one of a network's. */
export function isAssetOf(asset: string, network: string): boolean {
  return asset.startsWith(`${network}:`);
}

/** Every depth that a policy wants of a network's deposits: the network's, then its assets' own. */
export function wantedDepths(policy: CreditingPolicy, network: NetworkKey): WantedDepth[] {
  const own = Object.entries(policy.assets).flatMap(([asset, { confirmations }]) =>
    confirmations !== undefined && isAssetOf(asset, network) ? [{ of: asset, confirmations }] : [],
  );
  return [{ of: network, confirmations: ruleDepth(policy, network) }, ...own];
}

/** Whether a policy names a network, in a rule of its own or by one of its assets. */
export function isNamedBy(policy: CreditingPolicy, network: string): boolean {
  return (
    Object.hasOwn(policy.networks, network) ||
    Object.keys(policy.assets).some((asset) => isAssetOf(asset, network))
  );
}

/** A network as the custody API publishes it, and whether it concerns us. */
export interface PublishedDepths {
  readonly network: NetworkKey;
  readonly published: readonly number[];
  /** Whether an asset of it has ever arrived; a network nobody uses matters when the policy names it. */
  readonly inUse: boolean;
}

/**
 * The depths of a policy that no webhook of a network will ever show, in words for a break; null
 * when there are none. A depth between two published ones is shown later, by the deeper one.
 */
export function depthDrift(
  policy: CreditingPolicy,
  { network, published, inUse }: PublishedDepths,
): string | null {
  if (!inUse && !isNamedBy(policy, network)) return null;
  const never = wantedDepths(policy, network).filter(
    ({ confirmations }) =>
      depthReach(confirmations, { published, override: null }).kind === 'never',
  );
  if (never.length === 0) return null;
  const wanted = never.map(({ of, confirmations }) => `${confirmations} for ${of}`).join(', ');
  const deepest = published.length === 0 ? 'none at all' : `none beyond ${Math.max(...published)}`;
  return `the crediting policy wants a depth of ${wanted}, and the network publishes ${deepest}: no webhook will show it, each sweep reads it from the API instead; lower the depth, or let credits wait for the sweep`;
}

/** What a subscription's confirmation overrides keep from us, in words; empty when nothing. */
export function suppressedDepths(
  policy: CreditingPolicy,
  overrides: Readonly<Record<string, number>>,
): string[] {
  return Object.entries(overrides).flatMap(([network, depth]) => {
    const deeper = wantedDepths(policy, network as NetworkKey).filter(
      ({ confirmations }) => confirmations > depth,
    );
    if (deeper.length === 0) return [];
    const wanted = deeper.map(({ of, confirmations }) => `${confirmations} for ${of}`).join(', ');
    return [`${network} is delivered only to depth ${depth}, and the policy wants ${wanted}`];
  });
}
