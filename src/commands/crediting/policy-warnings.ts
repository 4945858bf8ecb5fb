import type { CreditingPolicy } from '../../domain/crediting.ts';
import { depthDrift, isAssetOf } from '../../domain/depth.ts';
import { NetworkKey } from '../../domain/ids.ts';
import { strangeNames } from '../../domain/policy-names.ts';
import type { Reads } from '../../store/reads.ts';
import type { Network } from '../../wire/network.ts';

/** Names of a policy that look misspelt beside what the API publishes and what has arrived. */
export async function nameWarnings(
  policy: CreditingPolicy,
  from: {
    readonly reads: Pick<Reads, 'pinnedDecimals'>;
    readonly published: readonly Network[] | null;
  },
): Promise<string[]> {
  const assets = [...(await from.reads.pinnedDecimals()).keys()];
  return strangeNames(policy, {
    published: from.published?.map(({ key }) => key) ?? null,
    assets,
  });
}

/** Depths of a policy that no webhook will show, on networks that it names or that are in use. */
async function depthWarnings(
  policy: CreditingPolicy,
  from: {
    readonly reads: Pick<Reads, 'pinnedDecimals'>;
    readonly published: readonly Network[] | null;
  },
): Promise<string[]> {
  const assets = [...(await from.reads.pinnedDecimals()).keys()];
  return (from.published ?? []).flatMap(({ key, confirmations: published }) => {
    const inUse = assets.some((asset) => isAssetOf(asset, key));
    return depthDrift(policy, { network: NetworkKey(key), published, inUse }) ?? [];
  });
}

/** What looks misspelt in a policy, and depths of it that no webhook will show, one sentence each. */
export async function policyWarnings(
  policy: CreditingPolicy,
  from: {
    readonly reads: Pick<Reads, 'pinnedDecimals'>;
    readonly published: readonly Network[] | null;
  },
): Promise<string[]> {
  return [...(await nameWarnings(policy, from)), ...(await depthWarnings(policy, from))];
}
