import { z } from '@hono/zod-openapi';
import {
  confirmationOverrides,
  retrySchedule,
  subscriptionList,
  subscriptionRequest,
} from '../../../wire/subscription.ts';
import type { Client } from '../../auth/client.ts';
import { mayManageNotifications } from '../../auth/permission.ts';
import { destinationRefusal } from '../../delivery/webhook-url.ts';
import type { World } from '../../world/world.ts';
import { forbidden, notFound, ok, refused } from '../answer.ts';
import type { Refusal } from '../answer.ts';
import { endpoint } from '../endpoint.ts';
import type { Endpoint } from '../endpoint.ts';
import { named } from '../schema.ts';
import type { Services } from '../services.ts';

const params = z.object({ vaultId: z.string() });
const WEBHOOK_URL_LENGTH_MAX = 2048;

const tag = 'Subscriptions';
const common = { tag, credentials: 'api', params } as const;

const overridesSchema = named('ConfirmationOverrides', confirmationOverrides);

/** Makes the permission check of a vault's notification settings: 403 first, then 404. */
function vaultGate(world: World, access: 'read' | 'write') {
  return (client: Client, { vaultId }: { vaultId: string }): Refusal | undefined => {
    if (!mayManageNotifications(client.permissions, access, vaultId)) {
      return forbidden('Insufficient privileges on the notifications of this vault');
    }
    return world.vault(vaultId) === undefined ? notFound('Vault', vaultId) : undefined;
  };
}

/**
 * Refuses the first override with an unknown network or an unpublished depth (the specification,
 * section "Errors", subscription-specific conditions 2 and 3).
 */
function overrideRefusal(
  world: World,
  confirmations: Readonly<Record<string, number>>,
): Refusal | undefined {
  const networks = new Map(world.networks().map((network) => [network.key, network]));
  for (const [key, depth] of Object.entries(confirmations)) {
    const network = networks.get(key);
    if (network === undefined) return refused('BR-1001', `Unknown network ${key}`);
    if (!network.confirmations.includes(depth)) {
      const depths = network.confirmations.join(', ');
      // The specification fixes this wording (section "Errors", subscription-specific condition 2).
      return refused('BR-1', `Confirmation number for network ${key} must be one of ${depths}`);
    }
  }
  return undefined;
}

/**
 * The subscription endpoints of a vault (the specification, section "Subscription (webhook)
 * endpoints", behaviours 1 to 3).
 */
export function subscriptionEndpoints({ world, delivery }: Services): Endpoint[] {
  return [
    endpoint({
      ...common,
      method: 'post',
      path: '/subscriptions/{vaultId}',
      operation: 'replaceSubscriptions',
      summary: "Replace the vault's subscriptions with these streams and this URL",
      body: named('SubscriptionRequest', subscriptionRequest),
      answer: named('SubscriptionList', subscriptionList),
      authorize: vaultGate(world, 'write'),
      handle: ({ params: { vaultId }, body: { webhookUrl, streams } }) => {
        if (webhookUrl.length > WEBHOOK_URL_LENGTH_MAX) {
          return refused('BR-1', `webhookUrl is longer than ${WEBHOOK_URL_LENGTH_MAX} characters`);
        }
        const refusal = destinationRefusal(webhookUrl, delivery.policy);
        if (refusal !== undefined) return refused('BR-1', `webhookUrl ${refusal}`);
        delivery.subscribe(vaultId, webhookUrl, streams);
        return ok({ data: delivery.subscriptions.rows(vaultId) });
      },
    }),
    endpoint({
      ...common,
      method: 'get',
      path: '/subscriptions/{vaultId}',
      operation: 'getSubscriptions',
      summary: "The vault's subscriptions, one row per stream",
      answer: named('SubscriptionList', subscriptionList),
      authorize: vaultGate(world, 'read'),
      handle: ({ params: { vaultId } }) => ok({ data: delivery.subscriptions.rows(vaultId) }),
    }),
    endpoint({
      ...common,
      method: 'delete',
      path: '/subscriptions/{vaultId}',
      operation: 'deleteSubscriptions',
      summary: "Remove all of the vault's subscriptions and its backlog",
      answer: named('SubscriptionList', subscriptionList),
      authorize: vaultGate(world, 'write'),
      handle: ({ params: { vaultId } }) => {
        delivery.unsubscribe(vaultId);
        return ok({ data: [] });
      },
    }),
    ...confirmationEndpoints({ world, delivery }),
    endpoint({
      ...common,
      method: 'patch',
      path: '/subscriptions/{vaultId}/notifications/retry-schedule',
      operation: 'pullRetryForward',
      summary: "Pull the vault's next retry forward to now",
      answer: named('RetrySchedule', retrySchedule),
      authorize: vaultGate(world, 'write'),
      handle: ({ params: { vaultId } }) => {
        const nextTryAt = delivery.pullForward(vaultId);
        return ok({ nextTryAt: nextTryAt === null ? null : new Date(nextTryAt).toISOString() });
      },
    }),
  ];
}

function confirmationEndpoints({ world, delivery }: Pick<Services, 'world' | 'delivery'>) {
  return [
    endpoint({
      ...common,
      method: 'put',
      path: '/subscriptions/{vaultId}/confirmations',
      operation: 'replaceConfirmations',
      summary: 'Replace the deepest delivered confirmation depth per network',
      body: overridesSchema,
      answer: overridesSchema,
      authorize: vaultGate(world, 'write'),
      handle: ({ params: { vaultId }, body: { confirmations } }) => {
        const refusal = overrideRefusal(world, confirmations);
        if (refusal !== undefined) return refusal;
        delivery.subscriptions.setOverride(vaultId, confirmations);
        return ok({ confirmations });
      },
    }),
    endpoint({
      ...common,
      method: 'get',
      path: '/subscriptions/{vaultId}/confirmations',
      operation: 'getConfirmations',
      summary: 'The deepest delivered depth per network; empty: every published depth',
      answer: overridesSchema,
      authorize: vaultGate(world, 'read'),
      handle: ({ params: { vaultId } }) =>
        ok({ confirmations: delivery.subscriptions.override(vaultId) }),
    }),
  ];
}
