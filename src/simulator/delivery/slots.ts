import type { Clock } from '../clock.ts';
import { Heap } from '../heap.ts';

/** Attempts that may be making progress at once, over all vaults. */
const SLOTS_MAX = 64;
/**
 * Real time after which an unanswered attempt gives its slot back: without it, dead receivers would
 * hold every slot for ten seconds and so delay the vaults of living ones. Halved for every slot in a
 * row that came back this way, and for every hang in a row of the same vault, because days of a dead
 * receiver, or a thousand dead receivers, must pass in seconds.
 */
const PATIENCE_MS = 1_000;
const PATIENCE_MS_MIN = 10;
/** Attempts under way at all, the slow ones included: a bound on sockets. */
const ATTEMPTS_MAX = 4_096;

/** An attempt that has begun; it never rejects. */
export interface Begun {
  readonly work: Promise<void>;
  /** Attempts of this vault in a row that nobody answered. */
  readonly hangs: number;
}

/** Begins the attempt whose turn has come; undefined when there is nothing to do any more. */
export type Begin = () => Begun | undefined;

interface Waiting {
  readonly begin: Begin;
  readonly place: number;
}

/**
 * Who may send now: first come, first served. On a repeatable clock there is one slot, and of those
 * that wait the one whose notification was queued first: how soon a receiver answers then changes
 * nothing, and a seed repeats the log, the faults and the arrivals.
 */
export class Slots {
  readonly #clock: Clock;
  readonly #slotsMax: number;
  readonly #running = new Set<Promise<void>>();
  readonly #ready = new Heap<Waiting>((left, right) => left.place < right.place);
  #lastPlace = 0;
  #slots = 0;
  #attempts = 0;
  #hangsInARow = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#slotsMax = clock.isRepeatable ? 1 : SLOTS_MAX;
  }

  /** Waits for a slot to send the notification of this sequence number. */
  request(sequence: number, begin: Begin): void {
    this.#lastPlace += 1;
    this.#ready.push({ begin, place: this.#clock.isRepeatable ? sequence : this.#lastPlace });
    this.#fill();
  }

  /** Forgets whoever waits. */
  clear(): void {
    this.#ready.clear();
  }

  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }

  #fill(): void {
    while (this.#slots < this.#slotsMax && this.#attempts < ATTEMPTS_MAX) {
      const next = this.#ready.pop();
      if (next === undefined) return;
      const begun = next.begin();
      if (begun !== undefined) this.#watch(begun);
    }
  }

  #watch({ work, hangs }: Begun): void {
    this.#slots += 1;
    this.#attempts += 1;
    let holdsSlot = true;
    const giveSlotBack = (): void => {
      if (!holdsSlot) return;
      holdsSlot = false;
      this.#slots -= 1;
      this.#fill();
    };
    const patienceMs = PATIENCE_MS / 2 ** Math.max(hangs, this.#hangsInARow);
    const patience = new Promise<void>((resolve) => {
      const timer = setTimeout(
        () => {
          this.#hangsInARow += 1;
          // The next attempt begins before the clock is let go, or time would pass it by.
          giveSlotBack();
          resolve();
        },
        Math.max(PATIENCE_MS_MIN, patienceMs),
      );
      timer.unref();
      const done = work.finally(() => {
        clearTimeout(timer);
        if (holdsSlot) this.#hangsInARow = 0;
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
