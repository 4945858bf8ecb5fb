import { z } from '@hono/zod-openapi';
import { STREAMS } from '../../wire/event-names.ts';
import { notFound, ok, refused } from '../api/answer.ts';
import { endpoint } from '../api/endpoint.ts';
import type { Endpoint } from '../api/endpoint.ts';
import type { NotificationRow } from '../delivery/notification-log.ts';
import { CONTROL_CALL } from './control-call.ts';
import type { ControlServices } from './control-services.ts';

const count = z
  .string()
  .regex(/^\d{1,9}$/, 'must be a whole number')
  .transform(Number);

/** Which notifications a list shows; an absent member matches all. */
export interface NotificationFilter {
  readonly vaultId?: string | undefined;
  readonly stream?: string | undefined;
  readonly status?: string | undefined;
}

/** Notifications that match, newest first. */
export function notificationsOf(
  { delivery }: Pick<ControlServices, 'delivery'>,
  { vaultId, stream, status }: NotificationFilter,
): NotificationRow[] {
  const rows = [...delivery.log.list()].filter(
    (row) =>
      (vaultId ?? row.vaultId) === row.vaultId &&
      (stream ?? row.stream) === row.stream &&
      (status ?? row.status) === row.status,
  );
  return rows.toReversed();
}

const notificationId = z.object({ notificationId: z.string() });

/** The control calls for notifications and the vaults' delivery queues. */
export function deliveryEndpoints(services: ControlServices): Endpoint[] {
  const { delivery, world } = services;
  return [
    endpoint({
      ...CONTROL_CALL,
      method: 'get',
      path: '/sim/notifications',
      operation: 'simNotifications',
      summary: 'Every kept notification with its body and state, newest first',
      query: z.strictObject({
        vaultId: z.string().optional(),
        stream: z.enum(STREAMS).optional(),
        status: z.enum(['pending', 'delivered', 'dropped']).optional(),
        page: count.default(0),
        pageSize: count.default(100),
      }),
      handle: ({ query: { page, pageSize, ...filter } }) => {
        const rows = notificationsOf(services, filter);
        const data = rows.slice(page * pageSize, (page + 1) * pageSize);
        return ok({ data, pagination: { page, pageSize, total: rows.length } });
      },
    }),
    replayEndpoint(services),
    endpoint({
      ...CONTROL_CALL,
      method: 'get',
      path: '/sim/queues',
      operation: 'simQueues',
      summary: 'How many notifications of each vault wait, and when the core tries again',
      handle: () =>
        ok({
          data: world.vaults().map(({ vaultId }) => ({ vaultId, ...delivery.backlog(vaultId) })),
        }),
    }),
    endpoint({
      ...CONTROL_CALL,
      method: 'post',
      path: '/sim/queues/:vaultId/retry',
      operation: 'simRetryQueue',
      summary: 'Try the first waiting notification of a vault now',
      params: z.object({ vaultId: z.string() }),
      handle: ({ params: { vaultId } }) => {
        if (world.vault(vaultId) === undefined) return notFound('Vault', vaultId);
        delivery.pullForward(vaultId);
        return ok({ vaultId, ...delivery.backlog(vaultId) });
      },
    }),
  ];
}

function replayEndpoint({ delivery }: ControlServices): Endpoint {
  return endpoint({
    ...CONTROL_CALL,
    method: 'post',
    path: '/sim/notifications/:notificationId/replay',
    operation: 'simReplayNotification',
    summary: "Send a delivered notification again to its vault's receiver, and wait for the result",
    params: notificationId,
    handle: async ({ params: { notificationId: id } }) => {
      const row = delivery.log.get(id);
      if (row === undefined) return notFound('Notification', id);
      const url = delivery.subscriptions.urlFor(row.vaultId, row.stream);
      if (url === undefined) {
        return refused('BR-1', `Vault ${row.vaultId} has no subscription of ${row.stream}`);
      }
      const outcome = await delivery.replayer.replay({ notificationId: id, url });
      switch (outcome.kind) {
        case 'replayed':
          return ok(outcome.result);
        case 'unknown':
          return notFound('Notification', id);
        case 'pending':
          return refused('BR-1', `Notification ${id} is still pending: retry its vault's queue`);
        case 'already-delivered':
        case 'under-way':
          return refused('CFR-1', `A replay of notification ${id} is under way`);
        default:
          return outcome satisfies never;
      }
    },
  });
}
