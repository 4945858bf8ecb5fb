import { nameWarnings } from './policy-warnings.ts';
import { publishedNow } from '../custody/published-networks.ts';
import { checkDepths } from '../checks/custody-check.ts';
import type { Parts } from '../parts.ts';

/** Time limit for the warnings at start: nobody waits for them. */
const WARNINGS_MS_MAX = 30_000;

/**
 * Logs at start which names of the policy and of the exemption rules look misspelt, and which depths
 * webhooks never show.
 */
export async function warnOfNames({
  config,
  networks,
  reads,
  log,
}: Pick<Parts, 'config' | 'networks' | 'reads' | 'log'>): Promise<void> {
  const held = await reads.policy();
  if (held === undefined) return;
  const published = await publishedNow(networks, WARNINGS_MS_MAX);
  const named = { policy: held.policy, rules: config.reconcile.exemptions };
  const { inPolicy, inRules } = await nameWarnings(named, { reads, published });
  for (const text of inPolicy) log.warn({ check: 'crediting policy' }, text);
  for (const text of inRules) log.warn({ check: 'exemptions' }, text);
  if (networks !== undefined && published === null) {
    const text = 'the networks and their depths could not be read: `counterfoil doctor` says why';
    log.warn({ check: 'custody API' }, text);
  }
  const diagnoses = checkDepths(held.policy, published ?? [], new Map());
  for (const { check, detail } of diagnoses.filter((one) => one.status !== 'ok')) {
    log.warn({ check }, detail);
  }
}
