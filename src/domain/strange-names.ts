import type { CreditingPolicy } from './crediting.ts';
import { isAssetOf } from './depth.ts';
import type { ExemptionRule } from './exemption.ts';

/** Names that exist, as far as anybody can tell. */
export interface KnownNames {
  /** Network keys that the custody API publishes; null where it could not be asked. */
  readonly published: readonly string[] | null;
  /** Universal ids of the assets that arrived here. */
  readonly assets: readonly string[];
}

/** Two slips of the finger; more makes another word of it. */
const SLIPS_MAX = 2;

/** A name that somebody has written, and where. */
interface Written {
  readonly place: string;
  readonly name: string;
}

/**
 * What looks misspelt in a policy, one sentence each. A rule for a name that does not exist stops
 * and checks nothing, and nothing else would say so; but a name may be new, so it is never refused.
 */
export function strangeNames(policy: CreditingPolicy, known: KnownNames): string[] {
  return [
    ...Object.keys(policy.networks).flatMap((name) =>
      strangeNetwork({ place: `networks.${name}`, name }, known),
    ),
    ...Object.keys(policy.assets).flatMap((name) =>
      strangeAsset({ place: `assets["${name}"]`, name }, known),
    ),
  ];
}

/** What looks misspelt in exemption rules, one sentence each: such a rule exempts nothing. */
export function strangeExemptions(rules: readonly ExemptionRule[], known: KnownNames): string[] {
  return rules.flatMap(({ rule, network, asset }) => {
    const placed = (kind: string, name: string): Written => ({
      place: `${kind} ${JSON.stringify(name)} of the rule ${JSON.stringify(rule)}`,
      name,
    });
    return [
      ...(network === undefined ? [] : strangeNetwork(placed('network', network), known)),
      ...(asset === undefined ? [] : strangeAsset(placed('asset', asset), known)),
    ];
  });
}

function networkOf(asset: string): string {
  return asset.split(':', 1)[0] ?? asset;
}

function strangeNetwork({ place, name }: Written, known: KnownNames): string[] {
  const { published, assets } = known;
  const networks = [...new Set([...(published ?? []), ...assets.map(networkOf)])];
  if (networks.includes(name)) return [];
  const near = nearest(name, networks);
  // Without the API's list only a likeness says anything.
  if (published === null && near === null) return [];
  const what = `${place}: no network ${JSON.stringify(name)} is known`;
  return [near === null ? `${what}; there are ${networks.join(', ')}` : `${what}: is it ${near}?`];
}

function strangeAsset({ place, name }: Written, known: KnownNames): string[] {
  if (known.assets.includes(name)) return [];
  if (!name.includes(':')) return [`${place}: ${symbolAlone(name, known.assets)}`];
  const network = networkOf(name);
  const strange = strangeNetwork({ place, name: network }, known);
  if (strange.length > 0) return strange;
  const siblings = known.assets.filter((asset) => isAssetOf(asset, network));
  // Before anything arrived on its network there is nothing to compare with.
  if (siblings.length === 0) return [];
  const near = nearest(name, siblings);
  const what = `${place}: this asset has never arrived here`;
  return [
    near === null ? `${what}: check its spelling, unless it is new` : `${what}: is it ${near}?`,
  ];
}

/** A symbol never identifies an asset: each network may have one of that symbol. */
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

function nearest(name: string, names: readonly string[]): string | null {
  const folded = name.toLowerCase();
  const [best] = names
    .map((one) => ({ one, slips: slipsBetween(folded, one.toLowerCase()) }))
    .filter(({ slips }) => slips <= SLIPS_MAX)
    .toSorted((left, right) => left.slips - right.slips);
  return best?.one ?? null;
}

/** Edit distance with neighbours swapped as one slip, row by row; more than the bound is not told apart. */
function slipsBetween(left: string, right: string): number {
  if (Math.abs(left.length - right.length) > SLIPS_MAX) return SLIPS_MAX + 1;
  let older: number[] = [];
  let above = Array.from({ length: right.length + 1 }, (_, at) => at);
  for (let row = 1; row <= left.length; row += 1) {
    const here = [row];
    for (let at = 1; at <= right.length; at += 1) {
      const same = left[row - 1] === right[at - 1];
      // Before the first letter there is nothing, and nothing is like no letter.
      const swapped = left[row - 1] === right[at - 2] && left[row - 2] === right[at - 1];
      here.push(
        Math.min(
          (above[at] ?? 0) + 1,
          (here[at - 1] ?? 0) + 1,
          (above[at - 1] ?? 0) + (same ? 0 : 1),
          swapped ? (older[at - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    older = above;
    above = here;
  }
  return above[right.length] ?? 0;
}
