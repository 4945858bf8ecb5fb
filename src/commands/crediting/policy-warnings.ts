import type { CreditingPolicy } from '../../domain/crediting.ts';
import { depthDrift, isAssetOf } from '../../domain/depth.ts';
import { NetworkKey } from '../../domain/ids.ts';
import type { ExemptionRule } from '../../domain/exemption.ts';
import { strangeExemptions, strangeNames, type KnownNames } from '../../domain/strange-names.ts';
import type { Reads } from '../../store/reads.ts';
import type { Network } from '../../wire/network.ts';

/** What a policy is looked at beside: what has arrived, and what the API publishes, if it answered. */
interface Surroundings {
  readonly reads: Pick<Reads, 'pinnedDecimals'>;
  readonly published: readonly Network[] | null;
}

async function assetsIn({ reads }: Surroundings): Promise<string[]> {
  return [...(await reads.pinnedDecimals()).keys()];
}

function known({ published }: Surroundings, assets: readonly string[]): KnownNames {
  return { published: published?.map(({ key }) => key) ?? null, assets };
}

/**
 * Names of a policy and of exemption rules that look misspelt beside what the API publishes and what has
 * arrived.
 */
export async function nameWarnings(
  { policy, rules }: { policy: CreditingPolicy; rules: readonly ExemptionRule[] },
  from: Surroundings,
): Promise<{ inPolicy: string[]; inRules: string[] }> {
  const names = known(from, await assetsIn(from));
  return { inPolicy: strangeNames(policy, names), inRules: strangeExemptions(rules, names) };
}

/**
 * What looks misspelt in a policy, and depths of it that no webhook will show on networks that it
 * names or that are in use, one sentence each.
 */
export async function policyWarnings(
  policy: CreditingPolicy,
  from: Surroundings,
): Promise<string[]> {
  const assets = await assetsIn(from);
  const depths = (from.published ?? []).flatMap(({ key, confirmations: published }) => {
    const inUse = assets.some((asset) => isAssetOf(asset, key));
    return depthDrift(policy, { network: NetworkKey(key), published, inUse }) ?? [];
  });
  return [...strangeNames(policy, known(from, assets)), ...depths];
}
