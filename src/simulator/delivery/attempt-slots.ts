import type { Clock } from '../clock.ts';
import { Heap } from '../heap.ts';

/**
 * Attempts that may hold a slot at the same time, over all vaults. A slow attempt frees its slot
 * and continues.
 */
const SLOTS_MAX = 64;
/**
 * Real time in milliseconds after which an unanswered attempt frees its slot. Otherwise dead
 * receivers would hold every slot for ten seconds and delay the other vaults. The time is halved
 * for every consecutive slot that was freed this way and for every consecutive timeout of the
 * vault: a test runs through days of a dead receiver, or a thousand dead receivers, in seconds.
 */
const PATIENCE_MS = 1_000;
const PATIENCE_MS_MIN = 10;
/**
 * Attempts that may run at the same time, the slow ones included. The limit bounds the number of
 * sockets.
 */
const ATTEMPTS_MAX = 4_096;

/** A running attempt; `work` never rejects. */
export interface RunningAttempt {
  readonly work: Promise<void>;
  /** Consecutive attempts of this vault that timed out. */
  readonly timeouts: number;
}

/** Begins an attempt. Returns undefined when there is nothing to send any more. */
export type StartAttempt = () => RunningAttempt | undefined;

interface SlotRequest {
  readonly start: StartAttempt;
  readonly priority: number;
}

/**
 * Limits how many attempts run at the same time. The others wait in order of arrival. On a
 * repeatable clock there is one slot, and the notification that was queued first gets it. The time
 * that a receiver takes to answer then changes nothing: the same seed gives the same log, faults
 * and arrivals.
 */
export class AttemptSlots {
  readonly #clock: Clock;
  readonly #slotsMax: number;
  readonly #running = new Set<Promise<void>>();
  readonly #ready = new Heap<SlotRequest>((left, right) => left.priority < right.priority);
  #lastArrival = 0;
  #slots = 0;
  #attempts = 0;
  #timeoutsInARow = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#slotsMax = clock.isRepeatable ? 1 : SLOTS_MAX;
  }

  /** Calls `start` when a slot is free. `sequence` is the notification's number. */
  request(sequence: number, start: StartAttempt): void {
    this.#lastArrival += 1;
    this.#ready.push({ start, priority: this.#clock.isRepeatable ? sequence : this.#lastArrival });
    this.#fill();
  }

  /** Removes every queued request. */
  clear(): void {
    this.#ready.clear();
  }

  async idle(): Promise<void> {
    await Promise.all(this.#running);
  }

  #fill(): void {
    while (this.#slots < this.#slotsMax && this.#attempts < ATTEMPTS_MAX) {
      const next = this.#ready.pop();
      if (next === undefined) return;
      const attempt = next.start();
      if (attempt !== undefined) this.#watch(attempt);
    }
  }

  #watch({ work, timeouts }: RunningAttempt): void {
    this.#slots += 1;
    this.#attempts += 1;
    let holdsSlot = true;
    const giveSlotBack = (): void => {
      if (!holdsSlot) return;
      holdsSlot = false;
      this.#slots -= 1;
      this.#fill();
    };
    const patienceMs = PATIENCE_MS / 2 ** Math.max(timeouts, this.#timeoutsInARow);
    const patience = new Promise<void>((resolve) => {
      const timer = setTimeout(
        () => {
          this.#timeoutsInARow += 1;
          // The next attempt must begin before the clock moves, or virtual time would pass it by.
          giveSlotBack();
          resolve();
        },
        Math.max(PATIENCE_MS_MIN, patienceMs),
      );
      timer.unref();
      const done = work.finally(() => {
        clearTimeout(timer);
        if (holdsSlot) this.#timeoutsInARow = 0;
        this.#attempts -= 1;
        giveSlotBack();
        this.#fill();
        this.#running.delete(done);
        resolve();
      });
      this.#running.add(done);
    });
    this.#clock.hold(patience);
  }
}
