import type { Notification, Stream } from '../../wire/notification.ts';
import type { Clock } from '../clock.ts';
import type { Faults } from '../control/fault.ts';
import { Random } from '../state/random.ts';
import type { State } from '../state/state.ts';
import type { Outbox } from '../world/world.ts';
import { AttemptLog } from './attempt-log.ts';
import { Courier } from './courier.ts';
import { Dispatcher } from './dispatcher.ts';
import { NotificationLog } from './notification-log.ts';
import type { NotificationRow } from './notification-log.ts';
import { Replayer } from './replay.ts';
import { Sender } from './sender.ts';
import { Slots } from './slots.ts';
import { SubscriptionBook } from './subscription-book.ts';
import type { DestinationPolicy } from './webhook-url.ts';

/** A `replay-late` fault without `delayMs` delivers again after this. */
const REPLAY_LATE_MS = 60_000;

/** Subscriptions, queues and replays of every vault, over one state. */
export class Delivery implements Outbox {
  readonly subscriptions: SubscriptionBook;
  readonly log: NotificationLog;
  readonly attempts: AttemptLog;
  readonly replayer: Replayer;
  readonly #clock: Clock;
  readonly #faults: Faults;
  readonly #courier: Courier;
  readonly #sender: Sender;
  readonly #dispatcher: Dispatcher;
  readonly #slots: Slots;

  /** `committed` resolves when every change so far will survive a crash; default: nothing does. */
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
    this.#courier = new Courier(clock, options.policy);
    this.#slots = new Slots(clock);
    const deliveryIds = new Random(state, 'replays');
    this.#sender = new Sender({
      clock,
      seed: state.seed,
      committed: options.committed,
      courier: this.#courier,
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
      lanes: state.table('deliveryLanes'),
      faults,
      sender: this.#sender,
      slots: this.#slots,
      onDelivered: (row) => {
        this.#planLateReplay(row);
      },
    });
  }

  get policy(): DestinationPolicy {
    return this.#courier.policy;
  }

  /** Queues a notification, unless its stream is not subscribed or its depth is suppressed. */
  enqueue(vaultId: string, notification: Notification, options: { depth?: number } = {}): void {
    const { subscriptions, log } = this;
    if (subscriptions.urlFor(vaultId, notification.stream) === undefined) return;
    const network = notification.network ?? undefined;
    if (subscriptions.suppresses(vaultId, network, options.depth)) return;
    this.#dispatcher.push(log.add(vaultId, notification, this.#clock.now()));
  }

  /** Replaces the vault's subscriptions; the backlog of removed streams is dropped. */
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

  /** Takes the queues up again from the records, after a start or a restore. */
  resume(): void {
    this.attempts.resume();
    this.log.resume();
    this.#dispatcher.resume();
    this.replayer.resume();
  }

  /** Ends what is under way, without trace, so that the state may be replaced. */
  async suspend(): Promise<void> {
    this.#dispatcher.suspend();
    this.#sender.suspend();
    this.replayer.suspend();
    this.#slots.clear();
    this.#courier.abortAll();
    await this.#slots.settled();
  }

  async stop(): Promise<void> {
    await this.suspend();
    await this.#courier.close();
  }

  #planLateReplay(row: NotificationRow): void {
    const fault = this.#faults.strikeDelivery('replay-late', { ...row, occasion: row.id });
    if (fault === undefined) return;
    this.replayer.planLate(row, this.#clock.now() + (fault.delayMs ?? REPLAY_LATE_MS));
  }
}
