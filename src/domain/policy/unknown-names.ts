import type { CreditingPolicy } from './policy.ts';
import { isAssetOf } from './published-depth.ts';
import type { ExemptionRule } from '../break/exemption.ts';

/** Names that are known to exist. */
export interface KnownNames {
  /** Network keys that the custody API publishes; null when the API was not available. */
  readonly published: readonly string[] | null;
  /** Universal ids of assets that have arrived. */
  readonly assets: readonly string[];
}

/** A name in the configuration, and its path there. */
interface Written {
  readonly path: string;
  readonly name: string;
}

/**
 * Probable misspellings in a policy, one sentence each. A rule for an unknown name matches nothing,
 * and no other check reports it. Because the name may be new, it is never refused.
 */
export function unknownNames(policy: CreditingPolicy, known: KnownNames): string[] {
  return [
    ...Object.keys(policy.networks).flatMap((name) =>
      unknownNetwork({ path: `networks.${name}`, name }, known),
    ),
    ...Object.keys(policy.assets).flatMap((name) =>
      unknownAsset({ path: `assets["${name}"]`, name }, known),
    ),
  ];
}

/** Probable misspellings in exemption rules, one sentence each: such a rule exempts nothing. */
export function unknownExemptionNames(
  rules: readonly ExemptionRule[],
  known: KnownNames,
): string[] {
  return rules.flatMap(({ rule, network, asset }) => {
    const inRule = (kind: string, name: string): Written => ({
      path: `${kind} ${JSON.stringify(name)} of the rule ${JSON.stringify(rule)}`,
      name,
    });
    return [
      ...(network === undefined ? [] : unknownNetwork(inRule('network', network), known)),
      ...(asset === undefined ? [] : unknownAsset(inRule('asset', asset), known)),
    ];
  });
}

/** The network of an asset, before the colon of its id; the whole of a text without one. */
export function networkOf(asset: string): string {
  return asset.split(':', 1)[0] ?? asset;
}

function unknownNetwork({ path, name }: Written, { published, assets }: KnownNames): string[] {
  const networks = [...new Set([...(published ?? []), ...assets.map(networkOf)])];
  if (networks.length === 0 || networks.includes(name)) return [];
  // Without the API's list a network may exist that nothing has arrived from.
  const what =
    published === null
      ? `nothing has arrived from a network ${JSON.stringify(name)} yet`
      : `no network ${JSON.stringify(name)} is known`;
  return [`${path}: ${what}; there are ${networks.join(', ')}`];
}

function unknownAsset({ path, name }: Written, known: KnownNames): string[] {
  if (known.assets.includes(name)) return [];
  if (!name.includes(':')) return [`${path}: ${symbolAlone(name, known.assets)}`];
  const network = networkOf(name);
  const found = unknownNetwork({ path, name: network }, known);
  if (found.length > 0) return found;
  // Without assets on that network there is nothing to compare with.
  const hasSiblings = known.assets.some((asset) => isAssetOf(asset, network));
  return hasSiblings
    ? [`${path}: this asset has never arrived here: check its spelling, unless it is new`]
    : [];
}

/** A symbol never identifies an asset: several networks may use it. */
function symbolAlone(symbol: string, assets: readonly string[]): string {
  const meant = assets.filter((asset) => isSymbolOf(asset, symbol));
  const what = 'an asset is named by its network and symbol';
  return meant.length === 0
    ? `${what}, like ethereum:USDC`
    : `${what}: is it ${meant.join(' or ')}?`;
}

function isSymbolOf(asset: string, symbol: string): boolean {
  return asset.toLowerCase().endsWith(`:${symbol.toLowerCase()}`);
}
