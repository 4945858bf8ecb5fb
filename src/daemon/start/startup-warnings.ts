import { addedIn } from '../../domain/break/held-exemptions.ts';
import { nameWarnings } from './policy-warnings.ts';
import { publishedNow } from '../custody/published-networks.ts';
import { checkDepths } from '../checks/custody-check.ts';
import type { PublishedNetworks } from '../../reconcile/watching/published-networks.ts';
import type { Config } from '../../ops/config/config.ts';
import type { Logger } from '../../ops/log.ts';
import type { Reads } from '../../store/reads.ts';

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
}: {
  readonly config: Config;
  readonly networks: PublishedNetworks | undefined;
  readonly reads: Reads;
  readonly log: Logger;
}): Promise<void> {
  const held = await reads.policy();
  if (held === undefined) return;
  const published = await publishedNow(networks, WARNINGS_MS_MAX);
  const rules = [...config.reconcile.exemptions, ...addedIn((await reads.exemptions()).rules)];
  const named = { policy: held.policy, rules };
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
