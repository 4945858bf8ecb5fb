import { ruleDepth, type CreditingPolicy } from './policy.ts';
import type { NetworkKey } from '../ids.ts';

/** Whether webhooks can ever show a policy's depth on a network. */
export type DepthReach =
  /** A notification arrives at exactly this depth. */
  | { readonly kind: 'published' }
  /** No notification at this depth; the next one is deeper. */
  | { readonly kind: 'late'; readonly reachedAt: number }
  /** No notification is that deep: the sweep reads the depth from the API instead. */
  | { readonly kind: 'never'; readonly deepest: number | null };

/**
 * Compares a policy depth with a network's published depths. A subscription's confirmation override
 * suppresses all deeper ones (spec, "Subscription (webhook) endpoints", behaviour 2).
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

/** A depth that a policy rule wants. `of`: a network key or an asset id. */
export interface WantedDepth {
  readonly of: string;
  readonly confirmations: number;
}

/** Whether a universal asset id belongs to a network. */
export function isAssetOf(asset: string, network: string): boolean {
  return asset.startsWith(`${network}:`);
}

/** Every depth that a policy wants for a network: the network's own, then its assets'. */
export function wantedDepths(policy: CreditingPolicy, network: NetworkKey): WantedDepth[] {
  const own = Object.entries(policy.assets).flatMap(([asset, { confirmations }]) =>
    confirmations !== undefined && isAssetOf(asset, network) ? [{ of: asset, confirmations }] : [],
  );
  return [{ of: network, confirmations: ruleDepth(policy, network) }, ...own];
}

/** Whether a policy names a network, in its own rule or by one of its assets. */
export function isNamedBy(policy: CreditingPolicy, network: string): boolean {
  return (
    Object.hasOwn(policy.networks, network) ||
    Object.keys(policy.assets).some((asset) => isAssetOf(asset, network))
  );
}

/** A network's published depths, and whether the network is in use. */
export interface PublishedDepths {
  readonly network: NetworkKey;
  readonly published: readonly number[];
  /**
   * Whether an asset of it has ever arrived. An unused network matters when the policy names it.
   */
  readonly inUse: boolean;
}

/**
 * The policy's depths that no webhook of the network will ever show, as text for a break; null
 * without any. A depth between two published ones is shown later, by the deeper one.
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

/** Depths that a subscription's confirmation overrides suppress, one text each. */
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
    return [
      `${network} is delivered only to depth ${depth}, and the policy wants ${wanted} (set it with --confirmations)`,
    ];
  });
}
