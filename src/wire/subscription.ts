import { z } from 'zod';
import { STREAMS } from './event-names.ts';

/**
 * Body of `POST /subscriptions/{vaultId}`: replaces the vault's whole set of streams (the
 * specification, section "Subscription (webhook) endpoints", behaviour 1).
 */
export const subscriptionRequest = z.object({
  webhookUrl: z.url({ protocol: /^https?$/ }),
  streams: z.array(z.enum(STREAMS)).min(1),
});
export type SubscriptionRequest = z.infer<typeof subscriptionRequest>;

export const subscription = z.looseObject({
  vaultId: z.string().min(1),
  stream: z.enum(STREAMS),
  webhookUrl: z.string(),
  createdAt: z.unknown().optional(),
});
export type Subscription = z.infer<typeof subscription>;

/**
 * A row as a reader accepts it. An unknown stream says nothing about the streams that we need, so it
 * does not make the subscription unreadable.
 */
export const subscriptionRecord = subscription.extend({ stream: z.string() });
export type SubscriptionRecord = z.infer<typeof subscriptionRecord>;

/** Answer of `GET` and `POST /subscriptions/{vaultId}`. */
export const subscriptionList = z.looseObject({ data: z.array(subscription) });

/**
 * Maximum delivered depth by network key; an empty object means no override (the specification,
 * section "Subscription (webhook) endpoints", behaviour 2).
 */
export const confirmationOverrides = z.looseObject({
  confirmations: z.record(z.string(), z.int().min(0)),
});
export type ConfirmationOverrides = z.infer<typeof confirmationOverrides>;

/**
 * Answer of `PATCH …/retry-schedule`; null means that the vault is already eligible (the
 * specification, section "Subscription (webhook) endpoints", behaviour 3).
 */
export const retrySchedule = z.looseObject({
  nextTryAt: z.union([z.string(), z.number(), z.null()]),
});

/**
 * Body of `POST /subscriptions/notifications/{notificationId}/replay`. The service
 * generates a missing `deliveryId` (the specification, section "Subscription (webhook) endpoints",
 * behaviour 4).
 */
export const replayRequest = z.object({
  url: z.url({ protocol: /^https?$/ }),
  deliveryId: z.string().min(1).optional(),
});
export type ReplayRequest = z.infer<typeof replayRequest>;

export const replayResult = z.looseObject({
  deliveryId: z.string(),
  statusCode: z.int().nullish(),
  delivered: z.boolean(),
});

/**
 * A row of `GET /subscriptions/notifications?transactionId=` (the specification, section
 * "Subscription (webhook) endpoints", behaviour 5).
 */
export const notificationRecord = z.looseObject({
  id: z.string().min(1),
  timestamp: z.number(),
  stream: z.enum(STREAMS),
  type: z.string(),
  status: z.enum(['pending', 'delivered']),
});
export type NotificationRecord = z.infer<typeof notificationRecord>;
