import type { CreditingPolicy } from '../../domain/policy/policy.ts';
import { depthDrift, isAssetOf } from '../../domain/policy/published-depth.ts';
import { NetworkKey } from '../../domain/ids.ts';
import type { ExemptionRule } from '../../domain/break/exemption.ts';
import {
  unknownExemptionNames,
  unknownNames,
  type KnownNames,
} from '../../domain/policy/unknown-names.ts';
import type { Reads } from '../../store/reads.ts';
import type { Network } from '../../wire/network.ts';

/** Known names for comparison: those that arrived, and those that the API publishes if it answers. */
interface NameSources {
  readonly reads: Pick<Reads, 'pinnedDecimals'>;
  readonly published: readonly Network[] | null;
}

async function assetsIn({ reads }: NameSources): Promise<string[]> {
  return [...(await reads.pinnedDecimals()).keys()];
}

function known({ published }: NameSources, assets: readonly string[]): KnownNames {
  return { published: published?.map(({ key }) => key) ?? null, assets };
}

/**
 * Names in a policy and in exemption rules that look misspelt, compared with published and arrived
 * names, and what becomes of their rules.
 */
export async function nameWarnings(
  { policy, rules }: { policy: CreditingPolicy; rules: readonly ExemptionRule[] },
  from: NameSources,
): Promise<{ inPolicy: string[]; inRules: string[] }> {
  const names = known(from, await assetsIn(from));
  return {
    inPolicy: unknownNames(policy, names).map((text) => withEffect(text, 'applies to no deposit')),
    inRules: unknownExemptionNames(rules, names).map((text) => withEffect(text, 'exempts nothing')),
  };
}

function withEffect(text: string, effect: string): string {
  return `${text}${text.endsWith('?') ? '' : '.'} A rule with a wrong name ${effect}`;
}

/**
 * One sentence for each name of a policy that looks misspelt, and for each depth that webhooks never
 * show on a network in use.
 */
export async function policyWarnings(
  policy: CreditingPolicy,
  from: NameSources,
): Promise<string[]> {
  const assets = await assetsIn(from);
  const depths = (from.published ?? []).flatMap(({ key, confirmations: published }) => {
    const inUse = assets.some((asset) => isAssetOf(asset, key));
    return depthDrift(policy, { network: NetworkKey(key), published, inUse }) ?? [];
  });
  return [...unknownNames(policy, known(from, assets)), ...depths];
}
