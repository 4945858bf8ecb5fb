import type { CustodyClient } from '../../custody/client.ts';
import { depthReach, wantedDepths } from '../../domain/policy/published-depth.ts';
import { NetworkKey } from '../../domain/ids.ts';
import { driftText, subscriptionDrift } from '../../domain/break/subscription-drift.ts';
import type { CreditingPolicy } from '../../domain/policy/policy.ts';
import type { CustodyConfig } from '../../ops/config/config.ts';
import type { Network } from '../../wire/network.ts';
import { failureText } from '../custody/failure-text.ts';
import { vaultsOf } from '../custody/vaults.ts';
import { ok, problem, warning, type Diagnosis } from './diagnosis.ts';

/** Time limit of the check's requests. */
const TIME_MS_MAX = 30_000;

/** Most vaults checked: each costs two of 100 requests a minute. */
const VAULTS_LOOKED_AT_MAX = 30;

/** Most vaults that a warning names. */
const VAULTS_NAMED_MAX = 5;

interface VaultChecks {
  readonly client: CustodyClient;
  readonly config: CustodyConfig;
  readonly path: string;
  readonly crediting: CreditingPolicy;
  readonly options: { readonly priority: 'inactive'; readonly deadlineMs: number };
}

/** The configuration to check, its file, and when the check began (Unix milliseconds). */
export interface About {
  readonly config: CustodyConfig;
  readonly path: string;
  readonly crediting: CreditingPolicy;
  readonly now: number;
}

function vaultChecksOf(client: CustodyClient, { now, ...about }: About): VaultChecks {
  const options = { priority: 'inactive', deadlineMs: now + TIME_MS_MAX } as const;
  return { client, ...about, options };
}

/** Checks everything that the configuration names at the custody service. */
export async function checkCustody(
  client: CustodyClient,
  about: About,
): Promise<{ diagnoses: Diagnosis[]; networks: readonly Network[] | null }> {
  const checks = vaultChecksOf(client, about);
  const networks = await client.networks(checks.options);
  if (networks.kind !== 'ok') {
    const unread = problem('custody API', failureText(networks, about.config));
    return { diagnoses: [unread], networks: null };
  }
  const diagnoses = await checkVaults(checks, networks.value);
  return { diagnoses, networks: networks.value };
}

async function checkVaults(
  checks: VaultChecks,
  networks: readonly Network[],
): Promise<Diagnosis[]> {
  const { client, config, crediting, options } = checks;
  const reached = ok('custody API', `${config.baseUrl} knows this client`);
  const found = await vaultsOf(client, config, options);
  if (found.kind === 'failed') return [reached, problem('vaults', found.detail)];
  const vaults = found.vaultIds;
  const overrides = new Map<string, number>();
  const subscriptions: Diagnosis[] = [];
  for (const vaultId of vaults.slice(0, VAULTS_LOOKED_AT_MAX)) {
    subscriptions.push(await checkSubscription(checks, vaultId));
    await noteOverrides(checks, vaultId, overrides);
  }
  if (vaults.length > VAULTS_LOOKED_AT_MAX) {
    const rest = vaults.length - VAULTS_LOOKED_AT_MAX;
    subscriptions.push(
      warning('subscriptions', `${rest} more vaults were not checked, to save the request budget`),
    );
  }
  return [
    reached,
    ...checkOthers(found.others, crediting),
    ...checkCredited(crediting, [...vaults, ...found.others]),
    ...checkDepths(crediting, networks, overrides),
    ...subscriptions,
  ];
}

/** Vaults by name, at most five, and the number of the others. */
function namesOf(vaults: readonly string[]): string {
  const named = vaults.slice(0, VAULTS_NAMED_MAX).join(', ');
  const more = vaults.length - VAULTS_NAMED_MAX;
  return more > 0 ? `${named} and ${more} more` : named;
}

/**
 * Warns of vaults that the API client sees and `custody.vaults` leaves out, where the policy credits
 * them.
 */
export function checkOthers(others: readonly string[], { vaults }: CreditingPolicy): Diagnosis[] {
  if (others.length === 0) return [];
  const seen = `this API client also sees ${namesOf(others)}, which custody.vaults leaves out`;
  const credited = others.filter((one) => vaults === undefined || vaults.includes(one));
  if (credited.length === 0) {
    return [ok('vaults', `${seen}: their deposits are booked, and crediting.vaults holds them`)];
  }
  return [
    warning(
      'vaults',
      `${seen}: their deposits are booked and credited too. If another installation credits them, customers may be paid twice: name the vaults to credit in crediting.vaults`,
    ),
  ];
}

/** Warns of vaults that the policy credits and the API client does not see. */
export function checkCredited(
  { vaults = [] }: CreditingPolicy,
  seen: readonly string[],
): Diagnosis[] {
  const unseen = vaults.filter((one) => !seen.includes(one));
  if (unseen.length === 0) return [];
  return [
    warning(
      'vaults',
      `crediting.vaults names ${namesOf(unseen)}, which this API client does not see: correct the ids`,
    ),
  ];
}

async function checkSubscription(checks: VaultChecks, vaultId: string): Promise<Diagnosis> {
  const { client, config, path, options } = checks;
  const check = `subscription of ${vaultId}`;
  const rows = await client.subscriptions.of(vaultId, options);
  if (rows.kind !== 'ok') return problem(check, failureText(rows, config));
  const drift = subscriptionDrift(rows.value, config.webhookUrl);
  return drift.kind === 'as_wanted'
    ? ok(check, driftText(drift))
    : problem(check, `${driftText(drift)}: fix it with \`counterfoil subscribe --config ${path}\``);
}

/** The smallest override per network over all vaults: webhooks show no greater depth. */
async function noteOverrides(
  checks: VaultChecks,
  vaultId: string,
  overrides: Map<string, number>,
): Promise<void> {
  const answer = await checks.client.subscriptions.overrides(vaultId, checks.options);
  if (answer.kind !== 'ok') return;
  for (const [network, depth] of Object.entries(answer.value.confirmations)) {
    overrides.set(network, Math.min(overrides.get(network) ?? depth, depth));
  }
}

/**
 * Checks whether webhooks can show the depths of a policy. Other depths are no error: the sweep
 * reads them from the API, later.
 */
export function checkDepths(
  crediting: CreditingPolicy,
  networks: readonly Network[],
  overrides: ReadonlyMap<string, number>,
): Diagnosis[] {
  return networks.flatMap(({ key, confirmations: published }) => {
    const override = overrides.get(key) ?? null;
    return wantedDepths(crediting, NetworkKey(key)).map(({ of, confirmations: required }) => {
      const reach = depthReach(required, { published, override });
      const check = `depth of ${of}`;
      switch (reach.kind) {
        case 'published':
          return ok(check, `${required} is delivered`);
        case 'late':
          return warning(
            check,
            `${required} is never delivered; webhooks show it at ${reach.reachedAt}: until then the sweep reads it from the API`,
          );
        case 'never':
          return warning(
            check,
            `${required} is never shown by webhooks (deepest: ${reach.deepest ?? 'none'}): the sweep will read it from the API`,
          );
        default:
          return reach satisfies never;
      }
    });
  });
}
