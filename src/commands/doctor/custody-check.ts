import type { CustodyClient } from '../../custody/client.ts';
import type { Failure } from '../../custody/outcome.ts';
import { depthReach } from '../../domain/depth.ts';
import type { CreditingPolicy } from '../../domain/crediting.ts';
import type { CustodyConfig } from '../../ops/config.ts';
import type { Network } from '../../wire/network.ts';
import { STREAMS } from '../../wire/notification.ts';
import { PAGE_SIZE_MAX } from '../../wire/page.ts';
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
    : [problem('custody API', reasonOf(networks, about.config))];
}

/** Everything that a configuration leads to at the custody service. */
export async function checkCustody(client: CustodyClient, about: About): Promise<Diagnosis[]> {
  const visit = visitOf(client, about);
  const networks = await client.networks(visit.options);
  if (networks.kind !== 'ok') return [problem('custody API', reasonOf(networks, about.config))];
  const reached = ok('custody API', `${about.config.baseUrl} knows this client`);
  const vaults = await vaultsOf(visit);
  if (!Array.isArray(vaults)) return [reached, vaults];
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

function reasonOf(failure: Failure | { kind: 'not-found' }, config: CustodyConfig): string {
  switch (failure.kind) {
    case 'unavailable':
      return `${config.baseUrl} does not answer (${failure.cause.kind}): check custody.baseUrl and the network`;
    case 'rate-budget':
      return 'the request limit is used up: try again in a minute';
    case 'refused':
      return failure.error.statusCode === 401
        ? `the service refused our token (401): attach the public key of custody.privateKeyFile to client ${config.clientId}, and check the clock`
        : `the service refused us: ${failure.error.errorCode} ${failure.error.errorMessage}`;
    case 'malformed':
      return `what answers at ${config.baseUrl} is not the custody API (${failure.detail}): check custody.baseUrl`;
    case 'not-found':
      return `nothing is at ${config.baseUrl}: check custody.baseUrl`;
    default:
      return failure satisfies never;
  }
}

async function vaultsOf(visit: Visit): Promise<string[] | Diagnosis> {
  const { client, config, options } = visit;
  const page = await client.vaults({ page: 0, pageSize: PAGE_SIZE_MAX }, options);
  if (page.kind !== 'ok') return problem('vaults', reasonOf(page, config));
  const there = page.value.rows.map((vault) => vault.vaultId);
  if (config.vaults === 'all') return there;
  const missing = config.vaults.filter((vaultId) => !there.includes(vaultId));
  if (missing.length > 0 && page.value.total <= there.length) {
    return problem(
      'vaults',
      `the service does not know ${missing.join(', ')}: check custody.vaults`,
    );
  }
  return config.vaults;
}

async function checkSubscription(visit: Visit, vaultId: string): Promise<Diagnosis> {
  const { client, config, options } = visit;
  const check = `subscription of ${vaultId}`;
  const rows = await client.subscriptions.of(vaultId, options);
  if (rows.kind !== 'ok') return problem(check, reasonOf(rows, config));
  const streams = rows.value.map((row) => row.stream);
  const missing = STREAMS.filter((stream) => !streams.includes(stream));
  if (rows.value.length === 0) {
    return problem(check, 'there is none: subscribe its three streams to custody.webhookUrl');
  }
  if (rows.value.some((row) => row.webhookUrl !== config.webhookUrl)) {
    return problem(check, 'it delivers to another URL than custody.webhookUrl');
  }
  return missing.length === 0
    ? ok(check, 'all three streams come to us')
    : problem(check, `the ${missing.join(' and ')} stream is not subscribed`);
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
    const required =
      visit.crediting.networks[key]?.confirmations ?? visit.crediting.default.confirmations;
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
