import type { Notification } from '../../wire/notification.ts';
import type { Stream } from '../../wire/event-names.ts';
import type { Clock } from '../clock.ts';
import type { Faults } from '../control/fault.ts';
import { Random } from '../state/random.ts';
import type { State } from '../state/state.ts';
import type { Outbox } from '../world/world.ts';
import { AttemptLog } from './attempt-log.ts';
import { WebhookClient } from './webhook-client.ts';
import { Dispatcher } from './dispatcher.ts';
import { NotificationLog } from './notification-log.ts';
import type { NotificationRow } from './notification-log.ts';
import { Replayer } from './replay.ts';
import { Sender } from './sender.ts';
import { AttemptSlots } from './attempt-slots.ts';
import { SubscriptionBook } from './subscription-book.ts';
import type { DestinationPolicy } from './webhook-url.ts';

/** Delay of a `replay-late` fault that has no `delayMs`. */
const REPLAY_LATE_MS = 60_000;

/**
 * Subscriptions, queues and replays of every vault (the specification, sections "Subscription
 * (webhook) endpoints" and "Delivery rules").
 */
export class Delivery implements Outbox {
  readonly subscriptions: SubscriptionBook;
  readonly log: NotificationLog;
  readonly attempts: AttemptLog;
  readonly replayer: Replayer;
  readonly #clock: Clock;
  readonly #faults: Faults;
  readonly #webhookClient: WebhookClient;
  readonly #sender: Sender;
  readonly #dispatcher: Dispatcher;
  readonly #slots: AttemptSlots;

  /**
   * `committed` resolves when every change so far is on disk. Without it the state is in memory
   * only.
   */
  constructor(options: {
    state: State;
    clock: Clock;
    faults: Faults;
    policy: DestinationPolicy;
    committed?: (() => Promise<void>) | undefined;
  }) {
    const { state, clock, faults } = options;
    this.#clock = clock;
    this.#faults = faults;
    this.subscriptions = new SubscriptionBook(
      state.table('subscriptions'),
      state.table('confirmationOverrides'),
    );
    this.log = new NotificationLog(state.table('notifications'));
    this.attempts = new AttemptLog(state.table('deliveryAttempts'));
    this.#webhookClient = new WebhookClient(clock, options.policy);
    this.#slots = new AttemptSlots(clock);
    const deliveryIds = new Random(state, 'replays');
    this.#sender = new Sender({
      clock,
      seed: state.seed,
      committed: options.committed,
      webhookClient: this.#webhookClient,
      subscriptions: this.subscriptions,
      attempts: this.attempts,
      faults,
    });
    this.replayer = new Replayer({
      clock,
      log: this.log,
      sender: this.#sender,
      slots: this.#slots,
      nextDeliveryId: () => deliveryIds.uuid(),
      subscriptions: this.subscriptions,
      replays: state.table('replays'),
      lateReplays: state.table('lateReplays'),
    });
    this.#dispatcher = new Dispatcher({
      clock,
      log: this.log,
      retries: state.table('deliveryLanes'),
      faults,
      sender: this.#sender,
      slots: this.#slots,
      onDelivered: (row) => {
        this.#planLateReplay(row);
      },
    });
  }

  get policy(): DestinationPolicy {
    return this.#webhookClient.policy;
  }

  /**
   * Queues a notification. Drops it when the vault has not subscribed the stream, or when the
   * vault's confirmation override suppresses the depth.
   */
  enqueue(vaultId: string, notification: Notification, options: { depth?: number } = {}): void {
    const { subscriptions, log } = this;
    if (subscriptions.urlFor(vaultId, notification.stream) === undefined) return;
    const network = notification.network ?? undefined;
    if (subscriptions.suppresses(vaultId, network, options.depth)) return;
    this.#dispatcher.push(log.add(vaultId, notification, this.#clock.now()));
  }

  /**
   * Replaces the vault's subscriptions and drops the backlog of removed streams (the specification,
   * section "Subscription (webhook) endpoints", behaviour 1).
   */
  subscribe(vaultId: string, webhookUrl: string, streams: readonly Stream[]): void {
    const createdAt = new Date(this.#clock.now()).toISOString();
    this.subscriptions.replace({ vaultId, webhookUrl, streams, createdAt });
    this.#dispatcher.dropUnwanted(vaultId, (row) => streams.includes(row.stream));
  }

  unsubscribe(vaultId: string): void {
    this.subscriptions.remove(vaultId);
    this.#dispatcher.clear(vaultId);
  }

  pullForward(vaultId: string): number | null {
    return this.#dispatcher.pullForward(vaultId);
  }

  backlog(vaultId: string): ReturnType<Dispatcher['backlog']> {
    return this.#dispatcher.backlog(vaultId);
  }

  /** Rebuilds the queues from the stored rows, after a start or a restore. */
  resume(): void {
    this.attempts.resume();
    this.log.resume();
    this.#dispatcher.resume();
    this.replayer.resume();
  }

  /** Ends every running attempt without recording it, so that the caller can replace the state. */
  async suspend(): Promise<void> {
    this.#dispatcher.suspend();
    this.#sender.suspend();
    this.replayer.suspend();
    this.#slots.clear();
    this.#webhookClient.abortAll();
    await this.#slots.idle();
  }

  async stop(): Promise<void> {
    await this.suspend();
    await this.#webhookClient.close();
  }

  #planLateReplay(row: NotificationRow): void {
    const fault = this.#faults.strikeDelivery('replay-late', { ...row, occasion: row.id });
    if (fault === undefined) return;
    this.replayer.planLate(row, this.#clock.now() + (fault.delayMs ?? REPLAY_LATE_MS));
  }
}
