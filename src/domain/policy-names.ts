import type { CreditingPolicy } from './crediting.ts';
import { isAssetOf } from './depth.ts';

/** Names that exist, as far as anybody can tell. */
export interface KnownNames {
  /** Network keys that the custody API publishes; null where it could not be asked. */
  readonly published: readonly string[] | null;
  /** Universal ids of the assets that arrived here. */
  readonly assets: readonly string[];
}

/** Two slips of the finger; more makes another word of it. */
const SLIPS_MAX = 2;

/**
 * What looks misspelt in a policy, one sentence each. A rule for a name that does not exist stops
 * and checks nothing, and nothing else would say so; but a name may be new, so it is never refused.
 */
export function strangeNames(policy: CreditingPolicy, known: KnownNames): string[] {
  const { published, assets } = known;
  const networks = [...new Set([...(published ?? []), ...assets.map(networkOf)])];
  return [
    ...Object.keys(policy.networks).flatMap((key) =>
      strangeNetwork(key, `networks.${key}`, { networks, published }),
    ),
    ...Object.keys(policy.assets).flatMap((key) => {
      const network = networkOf(key);
      const strange = strangeNetwork(network, `assets["${key}"]`, { networks, published });
      return strange.length > 0 ? strange : strangeAsset(key, network, assets);
    }),
  ];
}

function networkOf(asset: string): string {
  return asset.split(':', 1)[0] ?? asset;
}

function strangeNetwork(
  key: string,
  place: string,
  known: { networks: readonly string[]; published: readonly string[] | null },
): string[] {
  const { networks, published } = known;
  if (networks.includes(key)) return [];
  const near = nearest(key, networks);
  // Without the API's list only a likeness says anything.
  if (published === null && near === null) return [];
  const what = `${place}: no network ${JSON.stringify(key)} is known`;
  return [near === null ? `${what}; there are ${networks.join(', ')}` : `${what}: is it ${near}?`];
}

function strangeAsset(key: string, network: string, assets: readonly string[]): string[] {
  const siblings = assets.filter((asset) => isAssetOf(asset, network));
  // Before anything arrived on its network there is nothing to compare with.
  if (siblings.length === 0 || siblings.includes(key)) return [];
  const near = nearest(key, siblings);
  const what = `assets["${key}"]: this asset has never arrived here`;
  return [
    near === null ? `${what}: check its spelling, unless it is new` : `${what}: is it ${near}?`,
  ];
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
