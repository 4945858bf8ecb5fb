import { z } from '@hono/zod-openapi';
import { notificationRecord, replayRequest, replayResult } from '../../../wire/subscription.ts';
import { mayManageNotifications } from '../../auth/permission.ts';
import type { NotificationRow } from '../../delivery/notification-log.ts';
import { destinationRefusal } from '../../delivery/webhook-url.ts';
import { forbidden, notFound, ok, refused } from '../answer.ts';
import { endpoint } from '../endpoint.ts';
import type { Endpoint } from '../endpoint.ts';
import { listAnswer, listQuerySchema } from '../list.ts';
import type { ListDefinition } from '../list.ts';
import { identifier, listOf, named, textOf } from '../schema.ts';
import type { Services } from '../services.ts';

const tag = 'Subscriptions';
const INSUFFICIENT = 'Insufficient privileges on the notifications of this vault';

const timestampOf = (row: NotificationRow): number => row.deliveredAt ?? row.createdAt;

const notificationList: ListDefinition<NotificationRow> = {
  sorts: { timestamp: timestampOf },
  filters: {
    vaultId: (row) => row.vaultId,
    stream: (row) => row.stream,
    type: (row) => row.type,
    status: (row) => row.status,
  },
};

/**
 * The endpoints for replays and for the notifications of a transaction (the specification, section
 * "Subscription (webhook) endpoints", behaviours 4 and 5).
 */
export function notificationEndpoints(services: Services): Endpoint[] {
  return [replayEndpoint(services), notificationListEndpoint(services)];
}

function replayEndpoint({ delivery }: Services): Endpoint {
  const { log, replayer } = delivery;
  return endpoint({
    method: 'post',
    path: '/subscriptions/notifications/{notificationId}/replay',
    operation: 'replayNotification',
    summary: 'Deliver a delivered notification again, and wait for the result',
    tag,
    credentials: 'api',
    params: z.object({ notificationId: z.string() }),
    body: named('ReplayRequest', replayRequest),
    answer: named('ReplayResult', replayResult),
    authorize: (client, { notificationId }) => {
      const row = log.get(notificationId);
      // A client without the permission must not learn which notifications exist.
      if (!mayManageNotifications(client.permissions, 'write', row?.vaultId ?? '')) {
        return forbidden(INSUFFICIENT);
      }
      return row === undefined ? notFound('Notification', notificationId) : undefined;
    },
    handle: async ({ params: { notificationId }, body: { url, deliveryId } }) => {
      const refusal = destinationRefusal(url, delivery.policy);
      if (refusal !== undefined) return refused('BR-1', `url ${refusal}`);
      const outcome = await replayer.replay({ notificationId, url, deliveryId });
      switch (outcome.kind) {
        case 'replayed':
          return ok(outcome.result);
        case 'unknown':
          return notFound('Notification', notificationId);
        case 'pending':
          return refused('BR-1', `Notification ${notificationId} is still pending delivery`);
        case 'already-delivered':
          return refused('CFR-1', `Delivery ${deliveryId ?? ''} has already succeeded`);
        case 'under-way':
          return refused('CFR-1', `Delivery ${deliveryId ?? ''} is under way`);
        default:
          return outcome satisfies never;
      }
    },
  });
}

function notificationListEndpoint({ world, delivery }: Services): Endpoint {
  return endpoint({
    method: 'get',
    path: '/subscriptions/notifications',
    operation: 'listNotifications',
    summary: "List a transaction's notifications, pending and delivered",
    tag,
    credentials: 'api',
    query: listQuerySchema(notificationList).extend({ transactionId: identifier }),
    answer: listOf(named('NotificationRecord', notificationRecord)),
    authorize: (client, _params, query) => {
      const transactionId = textOf(query['transactionId']);
      const vaultId = world.transaction(transactionId)?.vaultId;
      if (!mayManageNotifications(client.permissions, 'read', vaultId ?? '')) {
        return forbidden(INSUFFICIENT);
      }
      return vaultId === undefined ? notFound('Transaction', transactionId) : undefined;
    },
    handle: ({ client, query, view }) => {
      const transactionId = textOf(query['transactionId']);
      const hash = world.transaction(transactionId)?.blockchainHash ?? undefined;
      // One hash can touch several vaults. The client sees the rows of the vaults that it may read.
      const rows = delivery.log
        .linkedTo(transactionId, hash)
        .filter(({ vaultId }) => mayManageNotifications(client.permissions, 'read', vaultId));
      return listAnswer({
        rows,
        query,
        definition: notificationList,
        view,
        present: (row) => ({
          id: row.id,
          timestamp: timestampOf(row),
          stream: row.stream,
          type: row.type,
          status: row.status,
          vaultId: row.vaultId,
        }),
      });
    },
  });
}
