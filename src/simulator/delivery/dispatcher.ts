import type { Clock } from '../clock.ts';
import type { Faults } from '../control/fault.ts';
import type { Table } from '../state/table.ts';
import { newLane } from './lane.ts';
import type { Lane, LaneRow } from './lane.ts';
import type { NotificationLog, NotificationRow } from './notification-log.ts';
import type { Sender } from './sender.ts';
import type { Begun, Slots } from './slots.ts';

/** Linear backoff (section "Delivery rules", 5): this much per consecutive failure. */
export const BACKOFF_STEP_MS = 10_000;
/** A `delay` fault without `delayMs` holds the vault's queue up this long. */
const DELAY_MS = 5_000;
interface DispatcherParts {
  readonly clock: Clock;
  readonly log: NotificationLog;
  readonly lanes: Table<LaneRow>;
  readonly faults: Faults;
  readonly sender: Sender;
  readonly slots: Slots;
  readonly onDelivered: (row: NotificationRow) => void;
}

/**
 * The vaults' queues: one attempt at a time per vault, in order, a failed one retried before any
 * later; no order across vaults, and no vault waits for another's receiver.
 */
export class Dispatcher {
  readonly #parts: DispatcherParts;
  readonly #lanes = new Map<string, Lane>();
  /** Raised by every restore: results of attempts begun before it concern a state that is gone. */
  #generation = 0;
  #stopped = false;

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
  }

  push(row: NotificationRow): void {
    const lane = this.#lane(row.vaultId);
    lane.queue.push(row.id);
    this.#schedule(lane);
  }

  backlog(vaultId: string): {
    size: number;
    consecutiveFailures: number;
    nextTryAt: number | null;
    inFlight: boolean;
  } {
    const lane = this.#lanes.get(vaultId);
    const { consecutiveFailures, nextTryAt } = this.#row(vaultId);
    const size = lane?.queue.size ?? 0;
    return { size, consecutiveFailures, nextTryAt, inFlight: lane?.inFlight ?? false };
  }

  /**
   * Pulls the vault's next retry forward to now. Answers that time, or null when the vault is already
   * eligible or nothing waits. The count of failures stays: the next failure backs off further.
   */
  pullForward(vaultId: string): number | null {
    const lane = this.#lanes.get(vaultId);
    const row = this.#row(vaultId);
    const nowMs = this.#parts.clock.now();
    if (lane === undefined || lane.queue.size === 0) return null;
    if (row.nextTryAt === null || row.nextTryAt <= nowMs) return null;
    this.#parts.lanes.put(vaultId, { ...row, nextTryAt: null });
    this.#schedule(lane);
    return nowMs;
  }

  /** Drops the queued notifications that no stream wants any more. */
  dropUnwanted(vaultId: string, wanted: (row: NotificationRow) => boolean): void {
    const { log } = this.#parts;
    this.#lanes.get(vaultId)?.queue.retain((id) => {
      const row = log.get(id);
      if (row !== undefined && wanted(row)) return true;
      if (row !== undefined) log.update(id, { status: 'dropped' });
      return false;
    });
  }

  /** Forgets the vault's backlog and its backoff: the subscription is gone. */
  clear(vaultId: string): void {
    this.dropUnwanted(vaultId, () => false);
    this.#parts.lanes.delete(vaultId);
    const lane = this.#lanes.get(vaultId);
    if (lane !== undefined) lane.era += 1;
  }

  /** Rebuilds the queues from the records, after a start or a restore. */
  resume(): void {
    this.#stopped = false;
    // What was pushed while suspended belongs to the state that is gone.
    this.#lanes.clear();
    for (const row of this.#parts.log.pending()) this.#lane(row.vaultId).queue.push(row.id);
    for (const lane of this.#lanes.values()) this.#schedule(lane);
  }

  /** Forgets the queues in memory; attempts under way no longer change anything. */
  suspend(): void {
    this.#stopped = true;
    this.#generation += 1;
    for (const lane of this.#lanes.values()) {
      if (lane.timer !== undefined) this.#parts.clock.cancel(lane.timer);
    }
    this.#lanes.clear();
  }

  #lane(vaultId: string): Lane {
    let lane = this.#lanes.get(vaultId);
    if (lane === undefined) {
      lane = newLane(vaultId);
      this.#lanes.set(vaultId, lane);
    }
    return lane;
  }

  #row(vaultId: string): LaneRow {
    return (
      this.#parts.lanes.get(vaultId) ?? {
        vaultId,
        consecutiveFailures: 0,
        nextTryAt: null,
        delayedId: null,
      }
    );
  }

  /** Moves an idle or waiting lane on: to a timer when it backs off, else in line for a slot. */
  #schedule(lane: Lane): void {
    if (this.#stopped || lane.ready || lane.inFlight || lane.queue.size === 0) return;
    const { clock } = this.#parts;
    const { nextTryAt } = this.#row(lane.vaultId);
    if (lane.timer !== undefined) clock.cancel(lane.timer);
    lane.timer = undefined;
    if (nextTryAt !== null && nextTryAt > clock.now()) {
      lane.timer = clock.at(nextTryAt, () => {
        lane.timer = undefined;
        this.#schedule(lane);
      });
      return;
    }
    const head = this.#head(lane);
    if (head === undefined) return;
    lane.ready = true;
    this.#parts.slots.request(head.sequence, () => this.#begin(lane));
  }

  #begin(lane: Lane): Begun | undefined {
    lane.ready = false;
    const row = this.#head(lane);
    if (row === undefined || this.#delayedByFault(lane, row)) return undefined;
    lane.inFlight = true;
    return { work: this.#attempt(lane, row), hangs: lane.hangs };
  }

  #head(lane: Lane): NotificationRow | undefined {
    for (;;) {
      const id = lane.queue.peek();
      if (id === undefined) return undefined;
      const row = this.#parts.log.get(id);
      if (row?.status === 'pending') return row;
      lane.queue.shift();
    }
  }

  #delayedByFault(lane: Lane, row: NotificationRow): boolean {
    const { faults, lanes, clock } = this.#parts;
    const laneRow = this.#row(lane.vaultId);
    if (laneRow.delayedId === row.id) return false;
    const fault = faults.strikeDelivery('delay', { ...row, occasion: row.id });
    if (fault === undefined) return false;
    const nextTryAt = clock.now() + (fault.delayMs ?? DELAY_MS);
    lanes.put(lane.vaultId, { ...laneRow, delayedId: row.id, nextTryAt });
    this.#schedule(lane);
    return true;
  }

  async #attempt(lane: Lane, row: NotificationRow): Promise<void> {
    const generation = this.#generation;
    const { era } = lane;
    const result = await this.#parts.sender.sendQueued(row);
    if (generation !== this.#generation) return;
    lane.inFlight = false;
    lane.hangs = result.timedOut ? lane.hangs + 1 : 0;
    // Each outcome takes the row off the head or puts a time before its next try: the lane goes on
    // at once, and what left both as they were would have it spin.
    if (result.delivered) this.#succeeded(lane, row, era);
    else if (result.unwanted) this.#drop(lane, row);
    else this.#failed(lane, row, era);
    this.#schedule(lane);
  }

  /** Nobody is subscribed: as if the removal of the subscription had come across it in the queue. */
  #drop(lane: Lane, row: NotificationRow): void {
    if (lane.queue.peek() === row.id) lane.queue.shift();
    this.#parts.log.update(row.id, { status: 'dropped' });
  }

  #succeeded(lane: Lane, row: NotificationRow, era: number): void {
    const { clock, lanes, log, onDelivered } = this.#parts;
    if (lane.queue.peek() === row.id) lane.queue.shift();
    const delivered = log.update(row.id, {
      status: 'delivered',
      deliveredAt: clock.now(),
      attempts: row.attempts + 1,
    });
    if (era === lane.era && lanes.get(lane.vaultId) !== undefined) lanes.delete(lane.vaultId);
    if (delivered !== undefined) onDelivered(delivered);
  }

  #failed(lane: Lane, row: NotificationRow, era: number): void {
    const { clock, lanes, log } = this.#parts;
    log.update(row.id, { attempts: row.attempts + 1 });
    // The subscription was deleted meanwhile, and the row dropped with it.
    if (era !== lane.era) return;
    const laneRow = this.#row(lane.vaultId);
    const consecutiveFailures = laneRow.consecutiveFailures + 1;
    const nextTryAt = clock.now() + BACKOFF_STEP_MS * consecutiveFailures;
    lanes.put(lane.vaultId, { ...laneRow, consecutiveFailures, nextTryAt });
  }
}
