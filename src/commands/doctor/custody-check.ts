import type { CustodyClient } from '../../custody/client.ts';
import { depthReach } from '../../domain/depth.ts';
import { NetworkKey } from '../../domain/ids.ts';
import { driftText, subscriptionDrift } from '../../domain/subscription.ts';
import { ruleDepth, type CreditingPolicy } from '../../domain/crediting.ts';
import type { CustodyConfig } from '../../ops/config.ts';
import type { Network } from '../../wire/network.ts';
import { failureText } from '../custody/failure.ts';
import { vaultsOf } from '../custody/vaults.ts';
import { ok, problem, warning, type Diagnosis } from './diagnosis.ts';

/** The doctor asks for no longer than this. */
const TIME_MS_MAX = 30_000;

/** Vaults whose subscriptions are looked at: each costs two requests of 100 a minute. */
const VAULTS_LOOKED_AT_MAX = 30;

interface Visit {
  readonly client: CustodyClient;
  readonly config: CustodyConfig;
  readonly crediting: CreditingPolicy;
  readonly options: { readonly priority: 'inactive'; readonly deadlineMs: number };
}

/** What is to be checked, and when the check began (Unix milliseconds). */
export interface About {
  readonly config: CustodyConfig;
  readonly crediting: CreditingPolicy;
  readonly now: number;
}

function visitOf(client: CustodyClient, { config, crediting, now }: About): Visit {
  const options = { priority: 'inactive', deadlineMs: now + TIME_MS_MAX } as const;
  return { client, config, crediting, options };
}

/** Whether the networks' published depths can show what the policy wants; overrides left aside. */
export async function checkDepthsAt(client: CustodyClient, about: About): Promise<Diagnosis[]> {
  const visit = visitOf(client, about);
  const networks = await client.networks(visit.options);
  return networks.kind === 'ok'
    ? checkDepths(visit, networks.value, new Map())
    : [problem('custody API', failureText(networks, about.config))];
}

/** Everything that a configuration leads to at the custody service. */
export async function checkCustody(client: CustodyClient, about: About): Promise<Diagnosis[]> {
  const visit = visitOf(client, about);
  const networks = await client.networks(visit.options);
  if (networks.kind !== 'ok') return [problem('custody API', failureText(networks, about.config))];
  const reached = ok('custody API', `${about.config.baseUrl} knows this client`);
  const found = await vaultsOf(client, about.config, visit.options);
  if (found.kind === 'failed') return [reached, problem('vaults', found.detail)];
  const vaults = found.vaultIds;
  const overrides = new Map<string, number>();
  const subscriptions: Diagnosis[] = [];
  for (const vaultId of vaults.slice(0, VAULTS_LOOKED_AT_MAX)) {
    subscriptions.push(await checkSubscription(visit, vaultId));
    await noteOverrides(visit, vaultId, overrides);
  }
  if (vaults.length > VAULTS_LOOKED_AT_MAX) {
    const rest = vaults.length - VAULTS_LOOKED_AT_MAX;
    subscriptions.push(
      warning(
        'subscriptions',
        `${rest} more vaults were not looked at, to spare the request budget`,
      ),
    );
  }
  return [reached, ...checkDepths(visit, networks.value, overrides), ...subscriptions];
}

async function checkSubscription(visit: Visit, vaultId: string): Promise<Diagnosis> {
  const { client, config, options } = visit;
  const check = `subscription of ${vaultId}`;
  const rows = await client.subscriptions.of(vaultId, options);
  if (rows.kind !== 'ok') return problem(check, failureText(rows, config));
  const drift = subscriptionDrift(rows.value, config.webhookUrl);
  return drift.kind === 'as_wanted'
    ? ok(check, driftText(drift))
    : problem(check, `${driftText(drift)}: mend it with \`counterfoil subscribe --config FILE\``);
}

/** The shallowest override of each network over all vaults: it limits what webhooks can show. */
async function noteOverrides(
  visit: Visit,
  vaultId: string,
  overrides: Map<string, number>,
): Promise<void> {
  const answer = await visit.client.subscriptions.overrides(vaultId, visit.options);
  if (answer.kind !== 'ok') return;
  for (const [network, depth] of Object.entries(answer.value.confirmations)) {
    overrides.set(network, Math.min(overrides.get(network) ?? depth, depth));
  }
}

/** Depths that webhooks cannot show are no error: the sweep reads them from the API, later. */
function checkDepths(
  visit: Visit,
  networks: readonly Network[],
  overrides: ReadonlyMap<string, number>,
): Diagnosis[] {
  return networks.flatMap(({ key, confirmations }) => {
    const required = ruleDepth(visit.crediting, NetworkKey(key));
    const override = overrides.get(key) ?? null;
    const reach = depthReach(required, { published: confirmations, override });
    const check = `depth of ${key}`;
    switch (reach.kind) {
      case 'published':
        return [ok(check, `${required} is delivered`)];
      case 'late':
        return [
          warning(check, `${required} is never delivered; webhooks show it at ${reach.reachedAt}`),
        ];
      case 'never':
        return [
          warning(
            check,
            `${required} is never shown by webhooks (deepest: ${reach.deepest ?? 'none'}): the sweep will read it from the API`,
          ),
        ];
      default:
        return reach satisfies never;
    }
  });
}
