import type { Clock } from '../clock.ts';
import type { Faults } from '../control/fault.ts';
import { namedUuid } from '../state/random.ts';
import type { AttemptKind, AttemptLog } from './attempt-log.ts';
import type { WebhookClient, PostResult } from './webhook-client.ts';
import type { NotificationRow } from './notification-log.ts';
import type { SubscriptionBook } from './subscription-book.ts';

export interface SendResult {
  readonly statusCode: number | null;
  readonly delivered: boolean;
  /** The vault has no subscription for the stream, so nothing was sent. */
  readonly unwanted: boolean;
  /** The attempt timed out without an answer. */
  readonly timedOut: boolean;
}

interface SenderParts {
  readonly clock: Clock;
  readonly seed: string;
  /** Resolves when every change that a webhook reports is on disk. */
  readonly committed: (() => Promise<void>) | undefined;
  readonly webhookClient: WebhookClient;
  readonly subscriptions: SubscriptionBook;
  readonly attempts: AttemptLog;
  readonly faults: Faults;
}

const NOT_SENT: SendResult = {
  statusCode: null,
  delivered: false,
  unwanted: false,
  timedOut: false,
};

/**
 * Sends one notification once, records every attempt, and applies the delivery faults of a single
 * attempt.
 */
export class Sender {
  readonly #parts: SenderParts;
  /**
   * Number of restores. An attempt that began before a restore leaves no record in the restored
   * state.
   */
  #generation = 0;

  constructor(parts: SenderParts) {
    this.#parts = parts;
  }

  suspend(): void {
    this.#generation += 1;
  }

  /** Sends the first notification of the vault's queue to the URL that the vault has now. */
  async sendQueued(row: NotificationRow): Promise<SendResult> {
    const { faults } = this.#parts;
    const generation = this.#generation;
    const url = this.#parts.subscriptions.urlFor(row.vaultId, row.stream);
    if (url === undefined) {
      return { statusCode: null, delivered: false, unwanted: true, timedOut: false };
    }
    const occasion = `${row.id} ${row.attempts}`;
    const result = await this.send(row, {
      url,
      kind: 'queue',
      losesResponse: () =>
        faults.strikeDelivery('drop-response', { ...row, occasion }) !== undefined,
    });
    if (
      result.delivered &&
      generation === this.#generation &&
      faults.strikeDelivery('duplicate', { ...row, occasion: row.id }) !== undefined
    ) {
      // Sent before the queue goes on, so that the vault's order holds for the second copy too.
      await this.send(row, { url, kind: 'duplicate' });
    }
    return result;
  }

  /** Sends one POST. Calls `losesResponse` when the receiver has answered. */
  async send(
    row: NotificationRow,
    options: {
      url: string;
      kind: AttemptKind;
      deliveryId?: string;
      losesResponse?: () => boolean;
    },
  ): Promise<SendResult> {
    const { clock, webhookClient, attempts, seed } = this.#parts;
    const generation = this.#generation;
    const { url, kind } = options;
    const refusal = await this.#commitFailure();
    if (generation !== this.#generation) return NOT_SENT;
    const startedAt = clock.now();
    const posted =
      refusal ??
      (await webhookClient.post(url, JSON.stringify({ ...row.body, timestamp: startedAt })));
    const success =
      posted.statusCode !== null && posted.statusCode >= 200 && posted.statusCode <= 299;
    const lost = success && generation === this.#generation && (options.losesResponse?.() ?? false);
    const delivered = success && !lost;
    if (generation === this.#generation) {
      attempts.add({
        deliveryId: options.deliveryId ?? namedUuid(seed, `${row.id} ${kind} ${row.attempts}`),
        notificationId: row.id,
        vaultId: row.vaultId,
        stream: row.stream,
        type: row.type,
        kind,
        url,
        startedAt,
        finishedAt: clock.now(),
        statusCode: posted.statusCode,
        error: lost ? 'response lost by the fault plan' : posted.error,
        delivered,
        body: row.body,
      });
    }
    const { timedOut } = posted;
    return { statusCode: lost ? null : posted.statusCode, delivered, unwanted: false, timedOut };
  }

  /**
   * Returns a failed result when the state file cannot be written, otherwise undefined. A webhook
   * must not report a change that a crash would undo.
   */
  async #commitFailure(): Promise<PostResult | undefined> {
    const { committed } = this.#parts;
    if (committed === undefined) return undefined;
    try {
      await committed();
      return undefined;
    } catch {
      // The state file reports the cause to the operator.
      const error = 'not sent: the core could not write its state file';
      return { statusCode: null, error, timedOut: false };
    }
  }
}
