import type { Clock } from '../clock.ts';
import type { Faults } from '../control/fault.ts';
import type { Table } from '../state/table.ts';
import { newVaultQueue } from './vault-queue.ts';
import type { VaultQueue, RetryRow } from './vault-queue.ts';
import type { NotificationLog, NotificationRow } from './notification-log.ts';
import type { Sender } from './sender.ts';
import type { RunningAttempt, AttemptSlots } from './attempt-slots.ts';

/**
 * Linear backoff: every consecutive failure adds this delay (the specification, section "Delivery
 * rules", 5).
 */
const BACKOFF_STEP_MS = 10_000;
/** Delay of a `delay` fault that has no `delayMs`. */
const DELAY_MS = 5_000;
interface DispatcherParts {
  readonly clock: Clock;
  readonly log: NotificationLog;
  readonly retries: Table<RetryRow>;
  readonly faults: Faults;
  readonly sender: Sender;
  readonly slots: AttemptSlots;
  readonly onDelivered: (row: NotificationRow) => void;
}

/**
 * Sends each vault's notifications in order, one attempt at a time. A failed notification is sent
 * again before any later one of the vault. Vaults do not wait for each other (the specification,
 * section "Delivery rules", 2).
 */
export class Dispatcher {
  readonly #parts: DispatcherParts;
  readonly #queues = new Map<string, VaultQueue>();
  /**
   * Number of restores. The result of an attempt that began before a restore belongs to the
   * replaced state, so it is ignored.
   */
  #generation = 0;
  #stopped = false;

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
  }

  push(row: NotificationRow): void {
    const queue = this.#queueOf(row.vaultId);
    queue.ids.push(row.id);
    this.#schedule(queue);
  }

  backlog(vaultId: string): {
    size: number;
    consecutiveFailures: number;
    nextTryAt: number | null;
    inFlight: boolean;
  } {
    const queue = this.#queues.get(vaultId);
    const { consecutiveFailures, nextTryAt } = this.#retryRow(vaultId);
    const size = queue?.ids.size ?? 0;
    return { size, consecutiveFailures, nextTryAt, inFlight: queue?.inFlight ?? false };
  }

  /**
   * Moves the vault's next retry to now and returns the time. Returns null when the vault may send
   * already or has no backlog. The count of failures stays, so the next failure waits longer (the
   * specification, section "Subscription (webhook) endpoints", behaviour 3).
   */
  pullForward(vaultId: string): number | null {
    const queue = this.#queues.get(vaultId);
    const row = this.#retryRow(vaultId);
    const nowMs = this.#parts.clock.now();
    if (queue === undefined || queue.ids.size === 0) return null;
    if (row.nextTryAt === null || row.nextTryAt <= nowMs) return null;
    this.#parts.retries.put(vaultId, { ...row, nextTryAt: null });
    this.#schedule(queue);
    return nowMs;
  }

  /** Drops the queued notifications for which `wanted` is false. */
  dropUnwanted(vaultId: string, wanted: (row: NotificationRow) => boolean): void {
    const { log } = this.#parts;
    this.#queues.get(vaultId)?.ids.retain((id) => {
      const row = log.get(id);
      if (row !== undefined && wanted(row)) return true;
      if (row !== undefined) log.update(id, { status: 'dropped' });
      return false;
    });
  }

  /** Drops the vault's backlog and its backoff, because the subscription was deleted. */
  clear(vaultId: string): void {
    this.dropUnwanted(vaultId, () => false);
    this.#parts.retries.delete(vaultId);
    const queue = this.#queues.get(vaultId);
    if (queue !== undefined) queue.clearCount += 1;
  }

  /** Rebuilds the queues from the stored rows, after a start or a restore. */
  resume(): void {
    this.#stopped = false;
    // Notifications that were pushed during the restore belong to the replaced state.
    this.#queues.clear();
    for (const row of this.#parts.log.pending()) this.#queueOf(row.vaultId).ids.push(row.id);
    for (const queue of this.#queues.values()) this.#schedule(queue);
  }

  /** Clears the queues in memory. Running attempts change nothing any more. */
  suspend(): void {
    this.#stopped = true;
    this.#generation += 1;
    for (const queue of this.#queues.values()) {
      if (queue.timer !== undefined) this.#parts.clock.cancel(queue.timer);
    }
    this.#queues.clear();
  }

  #queueOf(vaultId: string): VaultQueue {
    let queue = this.#queues.get(vaultId);
    if (queue === undefined) {
      queue = newVaultQueue(vaultId);
      this.#queues.set(vaultId, queue);
    }
    return queue;
  }

  #retryRow(vaultId: string): RetryRow {
    return (
      this.#parts.retries.get(vaultId) ?? {
        vaultId,
        consecutiveFailures: 0,
        nextTryAt: null,
        delayedId: null,
      }
    );
  }

  /**
   * Starts the queue's next step: a timer while the vault backs off, otherwise a request for a
   * slot.
   */
  #schedule(queue: VaultQueue): void {
    if (this.#stopped || queue.waitsForSlot || queue.inFlight || queue.ids.size === 0) return;
    const { clock } = this.#parts;
    const { nextTryAt } = this.#retryRow(queue.vaultId);
    if (queue.timer !== undefined) clock.cancel(queue.timer);
    queue.timer = undefined;
    if (nextTryAt !== null && nextTryAt > clock.now()) {
      queue.timer = clock.at(nextTryAt, () => {
        queue.timer = undefined;
        this.#schedule(queue);
      });
      return;
    }
    const head = this.#head(queue);
    if (head === undefined) return;
    queue.waitsForSlot = true;
    this.#parts.slots.request(head.sequence, () => this.#begin(queue));
  }

  #begin(queue: VaultQueue): RunningAttempt | undefined {
    queue.waitsForSlot = false;
    const row = this.#head(queue);
    if (row === undefined || this.#delayedByFault(queue, row)) return undefined;
    queue.inFlight = true;
    return { work: this.#attempt(queue, row), timeouts: queue.timeouts };
  }

  #head(queue: VaultQueue): NotificationRow | undefined {
    for (;;) {
      const id = queue.ids.peek();
      if (id === undefined) return undefined;
      const row = this.#parts.log.get(id);
      if (row?.status === 'pending') return row;
      queue.ids.shift();
    }
  }

  #delayedByFault(queue: VaultQueue, row: NotificationRow): boolean {
    const { faults, retries, clock } = this.#parts;
    const retry = this.#retryRow(queue.vaultId);
    if (retry.delayedId === row.id) return false;
    const fault = faults.strikeDelivery('delay', { ...row, occasion: row.id });
    if (fault === undefined) return false;
    const nextTryAt = clock.now() + (fault.delayMs ?? DELAY_MS);
    retries.put(queue.vaultId, { ...retry, delayedId: row.id, nextTryAt });
    this.#schedule(queue);
    return true;
  }

  async #attempt(queue: VaultQueue, row: NotificationRow): Promise<void> {
    const generation = this.#generation;
    const { clearCount } = queue;
    const result = await this.#parts.sender.sendQueued(row);
    if (generation !== this.#generation) return;
    queue.inFlight = false;
    queue.timeouts = result.timedOut ? queue.timeouts + 1 : 0;
    // Every result removes the row from the queue or delays its next attempt. Otherwise this queue
    // would send the same row in an endless loop.
    if (result.delivered) this.#succeeded(queue, row, clearCount);
    else if (result.unwanted) this.#drop(queue, row);
    else this.#failed(queue, row, clearCount);
    this.#schedule(queue);
  }

  /**
   * Handles a vault without a subscription: drops the row, as the removal of the subscription would
   * have done.
   */
  #drop(queue: VaultQueue, row: NotificationRow): void {
    if (queue.ids.peek() === row.id) queue.ids.shift();
    this.#parts.log.update(row.id, { status: 'dropped' });
  }

  #succeeded(queue: VaultQueue, row: NotificationRow, clearCount: number): void {
    const { clock, retries, log, onDelivered } = this.#parts;
    if (queue.ids.peek() === row.id) queue.ids.shift();
    const delivered = log.update(row.id, {
      status: 'delivered',
      deliveredAt: clock.now(),
      attempts: row.attempts + 1,
    });
    if (clearCount === queue.clearCount && retries.get(queue.vaultId) !== undefined)
      retries.delete(queue.vaultId);
    if (delivered !== undefined) onDelivered(delivered);
  }

  #failed(queue: VaultQueue, row: NotificationRow, clearCount: number): void {
    const { clock, retries, log } = this.#parts;
    log.update(row.id, { attempts: row.attempts + 1 });
    // The subscription was deleted during the attempt, and its rows were dropped.
    if (clearCount !== queue.clearCount) return;
    const retry = this.#retryRow(queue.vaultId);
    const consecutiveFailures = retry.consecutiveFailures + 1;
    const nextTryAt = clock.now() + BACKOFF_STEP_MS * consecutiveFailures;
    retries.put(queue.vaultId, { ...retry, consecutiveFailures, nextTryAt });
  }
}
