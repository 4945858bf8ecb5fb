import { existsSync } from 'node:fs';
import { addedIn } from '../../domain/break/held-exemptions.ts';
import type { CreditingPolicy } from '../../domain/policy/policy.ts';
import type { ExemptionRule } from '../../domain/break/exemption.ts';
import type { AssetId } from '../../domain/ids.ts';
import { openForReading } from '../../store/sqlite/file/database.ts';
import { StoreRefused } from '../../store/refusal.ts';
import { SqliteReads } from '../../store/sqlite/reads/sqlite-reads.ts';
import type { Network } from '../../wire/network.ts';
import { policyAtStart, startText } from '../start/configured-policy.ts';
import { nameWarnings } from '../start/policy-warnings.ts';
import { ok, warning, type Diagnosis } from './diagnosis.ts';

/** What would apply after a start, with the names known for comparison. */
export interface PolicyAhead {
  readonly policy: CreditingPolicy;
  /** Exemption rules that people added. */
  readonly added: readonly ExemptionRule[];
  readonly assets: ReadonlyMap<AssetId, number>;
  readonly diagnosis: Diagnosis;
}

/**
 * Compares the store's policy with the configuration's; without a store uses the latter. `isShared`:
 * several receivers share the journal.
 */
export async function policyAhead(
  configured: CreditingPolicy,
  path: string,
  { isShared }: { readonly isShared: boolean },
): Promise<PolicyAhead> {
  const alone = {
    policy: configured,
    added: [],
    assets: new Map<AssetId, number>(),
    diagnosis: ok('crediting policy', "the configuration's"),
  };
  if (!existsSync(path)) return alone;
  try {
    const reads = new SqliteReads(openForReading(path));
    try {
      const start = await policyAtStart(configured, reads, { isShared });
      const text = startText(start);
      return {
        policy: start.kind === 'taken' ? start.policy : start.held.policy,
        added: addedIn((await reads.exemptions()).rules),
        assets: await reads.pinnedDecimals(),
        diagnosis: text === null ? alone.diagnosis : warning('crediting policy', text),
      };
    } finally {
      reads.close();
    }
  } catch (error) {
    // The store check reports what is wrong with the store.
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
