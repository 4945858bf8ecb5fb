import type { Clock, Handle } from '../clock.ts';
import type { Table } from '../state/table.ts';
import type { NotificationLog, NotificationRow } from './notification-log.ts';
import type { Sender } from './sender.ts';
import type { AttemptSlots } from './attempt-slots.ts';
import type { SubscriptionBook } from './subscription-book.ts';

/**
 * Replay results kept. Beyond this number the oldest are deleted, and their `deliveryId`s can be
 * used again.
 */
const REPLAYS_KEPT_MAX = 100_000;

/** The result of one replay, stored by its `deliveryId`. */
export interface ReplayRow {
  readonly deliveryId: string;
  readonly notificationId: string;
  readonly url: string;
  readonly statusCode: number | null;
  readonly delivered: boolean;
}

/** A second delivery that a `replay-late` fault planned; `dueAt` is Unix epoch milliseconds. */
export interface LateReplayRow {
  readonly notificationId: string;
  readonly dueAt: number;
}

export type ReplayOutcome =
  | {
      readonly kind: 'replayed';
      readonly result: { deliveryId: string; statusCode: number | null; delivered: boolean };
    }
  | { readonly kind: 'unknown' | 'pending' | 'already-delivered' | 'under-way' };

interface ReplayParts {
  readonly clock: Clock;
  readonly log: NotificationLog;
  readonly sender: Sender;
  readonly slots: AttemptSlots;
  /** Makes an id for a replay request that has none. */
  readonly nextDeliveryId: () => string;
  readonly subscriptions: SubscriptionBook;
  readonly replays: Table<ReplayRow>;
  readonly lateReplays: Table<LateReplayRow>;
}

/**
 * Sends notifications beside the queues. A replay does not wait for a queue and does not change its
 * backoff.
 */
export class Replayer {
  readonly #parts: ReplayParts;
  readonly #underWay = new Set<string>();
  readonly #timers = new Map<string, Handle>();
  #generation = 0;

  constructor(parts: ReplayParts) {
    this.#parts = parts;
  }

  /**
   * Sends a delivered notification again and waits for the result (the specification, section
   * "Subscription (webhook) endpoints", behaviour 4). A `deliveryId` whose result was a 2xx cannot
   * be used again; one that failed can.
   */
  async replay(request: {
    notificationId: string;
    url: string;
    deliveryId?: string | undefined;
  }): Promise<ReplayOutcome> {
    const { clock, log, replays, sender } = this.#parts;
    const row = log.get(request.notificationId);
    if (row === undefined || row.status === 'dropped') return { kind: 'unknown' };
    if (row.status === 'pending') return { kind: 'pending' };
    const deliveryId = request.deliveryId ?? this.#parts.nextDeliveryId();
    if (replays.get(deliveryId)?.delivered === true) return { kind: 'already-delivered' };
    if (this.#underWay.has(deliveryId)) return { kind: 'under-way' };
    this.#underWay.add(deliveryId);
    const generation = this.#generation;
    try {
      const { url } = request;
      const sending = sender.send(row, { url, kind: 'replay', deliveryId });
      // An advance of virtual time must not time out a receiver that is answering.
      clock.hold(sending);
      const { statusCode, delivered } = await sending;
      const result = { deliveryId, statusCode, delivered };
      if (generation === this.#generation) {
        this.#record({ ...result, notificationId: row.id, url });
      }
      return { kind: 'replayed', result };
    } finally {
      this.#underWay.delete(deliveryId);
    }
  }

  /** Plans a second delivery at `dueAt`. It goes to the URL that the vault has by then. */
  planLate(row: NotificationRow, dueAt: number): void {
    const late = { notificationId: row.id, dueAt };
    this.#parts.lateReplays.put(row.id, late);
    this.#schedule(late);
  }

  resume(): void {
    for (const late of this.#parts.lateReplays.list()) this.#schedule(late);
  }

  suspend(): void {
    this.#generation += 1;
    for (const timer of this.#timers.values()) this.#parts.clock.cancel(timer);
    this.#timers.clear();
  }

  #record(row: ReplayRow): void {
    const { replays } = this.#parts;
    replays.put(row.deliveryId, row);
    const [oldest] = replays.list();
    if (replays.size > REPLAYS_KEPT_MAX && oldest !== undefined) replays.delete(oldest.deliveryId);
  }

  #schedule(late: LateReplayRow): void {
    const { clock, log, slots } = this.#parts;
    const timer = clock.at(late.dueAt, () => {
      this.#timers.delete(late.notificationId);
      const sequence = log.get(late.notificationId)?.sequence ?? 0;
      slots.request(sequence, () => ({ work: this.#sendLate(late), timeouts: 0 }));
    });
    this.#timers.set(late.notificationId, timer);
  }

  async #sendLate(late: LateReplayRow): Promise<void> {
    const { lateReplays, log, sender, subscriptions } = this.#parts;
    lateReplays.delete(late.notificationId);
    const row = log.get(late.notificationId);
    const url = row === undefined ? undefined : subscriptions.urlFor(row.vaultId, row.stream);
    if (row === undefined || url === undefined) return;
    await sender.send(row, { url, kind: 'replay-late' });
  }
}
