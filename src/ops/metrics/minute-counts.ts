const MINUTE_MS = 60_000;
const MINUTES = 60;

/** A minute and how much happened in it. */
export interface MinuteCount {
  /** When the minute began, Unix milliseconds. */
  readonly at: number;
  readonly count: number;
}

/** Counts by minute for the last hour. */
export class MinuteCounts {
  /** Since when it counts, Unix milliseconds. */
  readonly beganMs: number;
  readonly #now: () => number;
  /** One slot per minute of the hour, so that old minutes are overwritten. */
  readonly #slots: { minute: number; count: number }[] = Array.from({ length: MINUTES }, () => ({
    minute: -1,
    count: 0,
  }));

  constructor(now: () => number) {
    this.#now = now;
    this.beganMs = now();
  }

  count(): void {
    const minute = this.#minute();
    const slot = this.#slots[minute % MINUTES];
    if (slot === undefined) return;
    if (slot.minute !== minute) {
      slot.minute = minute;
      slot.count = 0;
    }
    slot.count += 1;
  }

  /** The last sixty minutes, oldest first; the last one is under way. */
  lastHour(): MinuteCount[] {
    const latest = this.#minute();
    return Array.from({ length: MINUTES }, (_, index) => {
      const minute = latest - MINUTES + 1 + index;
      const slot = this.#slots[minute % MINUTES];
      return { at: minute * MINUTE_MS, count: slot?.minute === minute ? slot.count : 0 };
    });
  }

  #minute(): number {
    return Math.floor(this.#now() / MINUTE_MS);
  }
}
