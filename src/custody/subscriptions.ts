import type { z } from 'zod';
import {
  confirmationOverrides,
  notificationRecord,
  replayResult,
  retrySchedule,
  subscriptionRecord,
} from '../wire/subscription.ts';
import type {
  ConfirmationOverrides,
  NotificationRecord,
  ReplayRequest,
  SubscriptionRecord,
  SubscriptionRequest,
} from '../wire/subscription.ts';
import { readerOf } from './call/answer.ts';
import type { CallOptions } from './call/caller.ts';
import type { Operations } from './call/operation.ts';
import type { Outcome } from './call/outcome.ts';
import { PAGE_SIZE_MAX } from '../wire/page.ts';
import { listReader, someRowsReader } from './list/row.ts';

const readSubscriptions = listReader(subscriptionRecord);
const readOverrides = readerOf(confirmationOverrides);
const readSchedule = readerOf(retrySchedule);
const readNotifications = someRowsReader(notificationRecord);
const readReplay = readerOf(replayResult);

export type RetrySchedule = z.infer<typeof retrySchedule>;
export type ReplayResult = z.infer<typeof replayResult>;

/**
 * The endpoints of the specification, section "Subscription (webhook) endpoints". Behaviours and
 * conditions below are those of that section and of section "Errors".
 */
export class Subscriptions {
  readonly #operations: Operations;

  constructor(operations: Operations) {
    this.#operations = operations;
  }

  /** `GET /subscriptions/{vaultId}`: one row per stream, none without a subscription. */
  of(vaultId: string, options: CallOptions): Promise<Outcome<readonly SubscriptionRecord[]>> {
    return this.#operations.run(
      {
        name: 'subscriptions',
        method: 'GET',
        template: '/subscriptions/{vaultId}',
        ids: { vaultId },
        read: readSubscriptions,
      },
      options,
    );
  }

  /** `POST /subscriptions/{vaultId}`: replaces the vault's whole set of streams (behaviour 1). */
  replace(
    request: SubscriptionRequest & { readonly vaultId: string },
    options: CallOptions,
  ): Promise<Outcome<readonly SubscriptionRecord[]>> {
    const { vaultId, webhookUrl, streams } = request;
    return this.#operations.run(
      {
        name: 'subscribe',
        method: 'POST',
        template: '/subscriptions/{vaultId}',
        ids: { vaultId },
        body: { webhookUrl, streams },
        read: readSubscriptions,
      },
      options,
    );
  }

  /**
   * `GET …/confirmations`: the deepest delivered depth by network; empty without an override, and
   * all depths are delivered (behaviour 2).
   */
  overrides(vaultId: string, options: CallOptions): Promise<Outcome<ConfirmationOverrides>> {
    return this.#operations.run(
      {
        name: 'confirmationOverrides',
        method: 'GET',
        template: '/subscriptions/{vaultId}/confirmations',
        ids: { vaultId },
        read: readOverrides,
      },
      options,
    );
  }

  /**
   * `PUT …/confirmations`: replaces the whole map; it cannot patch one network (behaviour 2).
   * `refused` with 400 for an unknown network or an unpublished depth (conditions 2 and 3).
   */
  replaceOverrides(
    request: { readonly vaultId: string; readonly confirmations: Readonly<Record<string, number>> },
    options: CallOptions,
  ): Promise<Outcome<ConfirmationOverrides>> {
    return this.#operations.run(
      {
        name: 'setConfirmationOverrides',
        method: 'PUT',
        template: '/subscriptions/{vaultId}/confirmations',
        ids: { vaultId: request.vaultId },
        body: { confirmations: request.confirmations },
        read: readOverrides,
      },
      options,
    );
  }

  /**
   * `PATCH …/retry-schedule`: pulls the vault's next delivery attempt forward (behaviour 3). Never
   * delays it. `nextTryAt` is null when the vault is already eligible.
   */
  pullRetriesForward(vaultId: string, options: CallOptions): Promise<Outcome<RetrySchedule>> {
    return this.#operations.run(
      {
        name: 'pullRetriesForward',
        method: 'PATCH',
        template: '/subscriptions/{vaultId}/notifications/retry-schedule',
        ids: { vaultId },
        read: readSchedule,
      },
      options,
    );
  }

  /**
   * `GET /subscriptions/notifications?transactionId=`: the first 1,000, pending and delivered
   * (behaviour 5).
   */
  notifications(
    transactionId: string,
    options: CallOptions,
  ): Promise<Outcome<readonly NotificationRecord[]>> {
    return this.#operations.run(
      {
        name: 'notifications',
        method: 'GET',
        template: '/subscriptions/notifications',
        query: { transactionId, pageSize: PAGE_SIZE_MAX },
        read: readNotifications,
      },
      options,
    );
  }

  /**
   * `POST …/replay`. `refused` with 400 while the notification is pending, and with 409 when this
   * `deliveryId` already got a 2xx (conditions 4 and 5).
   */
  replay(
    request: ReplayRequest & { readonly notificationId: string },
    options: CallOptions,
  ): Promise<Outcome<ReplayResult>> {
    const { notificationId, ...body } = request;
    return this.#operations.run(
      {
        name: 'replay',
        method: 'POST',
        template: '/subscriptions/notifications/{notificationId}/replay',
        ids: { notificationId },
        body,
        read: readReplay,
      },
      options,
    );
  }
}
