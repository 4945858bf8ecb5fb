import { existsSync } from 'node:fs';
import type { CreditingPolicy } from '../../domain/crediting.ts';
import type { ExemptionRule } from '../../domain/exemption.ts';
import type { AssetId } from '../../domain/ids.ts';
import { openForReading } from '../../store/sqlite/database.ts';
import { StoreRefused } from '../../store/sqlite/refusal.ts';
import { SqliteReads } from '../../store/sqlite/sqlite-reads.ts';
import type { Network } from '../../wire/network.ts';
import { policyAtStart, startText } from '../crediting/configured-policy.ts';
import { nameWarnings } from '../crediting/policy-warnings.ts';
import { ok, warning, type Diagnosis } from './diagnosis.ts';

/** The policy that a start of the daemon would have hold, and what is known beside it. */
export interface PolicyAhead {
  readonly policy: CreditingPolicy;
  readonly assets: ReadonlyMap<AssetId, number>;
  readonly diagnosis: Diagnosis;
}

/** The policy in the store stands beside the configuration's; without a store there is but one. */
export async function policyAhead(configured: CreditingPolicy, path: string): Promise<PolicyAhead> {
  const alone = {
    policy: configured,
    assets: new Map<AssetId, number>(),
    diagnosis: ok('crediting policy', "the configuration's"),
  };
  if (!existsSync(path)) return alone;
  try {
    const reads = new SqliteReads(openForReading(path));
    try {
      const start = await policyAtStart(configured, reads);
      const told = startText(start);
      return {
        policy: start.kind === 'stands' ? start.held.policy : start.policy,
        assets: await reads.pinnedDecimals(),
        diagnosis: told === null ? alone.diagnosis : warning('crediting policy', told),
      };
    } finally {
      reads.close();
    }
  } catch (error) {
    // The check of the store says what is wrong with it.
    if (error instanceof StoreRefused) return alone;
    throw error;
  }
}

/** Names of the policy and of the exemption rules that look misspelt. */
export async function checkNames(
  { policy, assets }: PolicyAhead,
  rules: readonly ExemptionRule[],
  published: readonly Network[] | null,
): Promise<Diagnosis[]> {
  const from = { reads: { pinnedDecimals: async () => assets }, published };
  const { inPolicy, inRules } = await nameWarnings({ policy, rules }, from);
  return [
    ...inPolicy.map((text) => warning('names in the crediting policy', text)),
    ...inRules.map((text) => warning('names in the exemption rules', text)),
  ];
}
