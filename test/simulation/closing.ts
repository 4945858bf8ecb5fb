import type { VirtualClock } from '../../src/simulator/clock.ts';
import type { EventLog } from './event-log.ts';
import { GRACE_MS } from './product/duties.ts';
import { DIED } from './product/process-state.ts';
import type { Product, WantedDays } from './product/product.ts';
import { Chance } from './seeded-draws.ts';

/** How often days are closed after a step. */
const CLOSES = 0.12;
/** How often something moves between the end of a day and its close. */
const MOVED_BEFORE_CLOSE = 0.7;
const MOVES_MIN = 2;
const MOVES_MAX = 8;
/** How often a person closes days, and leaves yesterday to the schedule. */
const CLOSED_BY_HAND = 0.3;
/** When days are closed, after midnight: before it, as soon as they are due, hours or a day late. */
const MINUTES_AFTER_MIDNIGHT = [-30, 5, 6, 90, 1_500, 2_000] as const;
const DAY_MS = 86_400_000;

interface ClosingOptions {
  readonly seed: number;
  readonly product: Product;
  readonly clock: VirtualClock;
  readonly log: EventLog;
  /** Lets time pass. */
  readonly pass: (ms: number) => Promise<void>;
  /** A block is mined, and so many things happen in the world. */
  readonly move: (times: number) => Promise<void>;
  /** The custody API shows all balance changes from now on. */
  readonly publishBalanceChanges: () => Promise<void>;
  /** What only a defect explains. */
  readonly defect: (text: string) => void;
}

/** Days that pass, and their closes. */
export class Closing {
  readonly #options: ClosingOptions;
  readonly #chance: Chance;
  /** Days that were closed while a clock was off by more than the grace period. */
  readonly daysByWrongClock = new Set<string>();
  /** By how much a clock of the product is off. */
  skewMs = 0;
  #tries = 0;
  #closed = 0;

  constructor(options: ClosingOptions) {
    this.#options = options;
    this.#chance = new Chance(options.seed, 'closes');
  }

  /** Days closed so far. */
  get closed(): number {
    return this.#closed;
  }

  /**
   * Sometimes lets a day or two end, and closes days. The custody API omits balance changes only
   * briefly (spec, conservation rule 6), so every other close finds all of them.
   */
  async step(): Promise<void> {
    const chance = this.#chance;
    if (!chance.happens(CLOSES)) return;
    const { pass, move, publishBalanceChanges } = this.#options;
    await pass(Math.max(0, this.#untilMidnight() + chance.pick(MINUTES_AFTER_MIDNIGHT) * 60_000));
    // What moves now belongs to the next day, and the custody API shows it to this close.
    if (chance.happens(MOVED_BEFORE_CLOSE)) await move(chance.between(MOVES_MIN, MOVES_MAX));
    this.#tries += 1;
    if (this.#tries % 2 === 0) await publishBalanceChanges();
    await this.#close(chance.happens(CLOSED_BY_HAND) ? 'all but yesterday' : 'due');
  }

  /** Closes the day in which everything came to rest. */
  async closeLastDay(): Promise<void> {
    const { pass, defect } = this.#options;
    await pass(this.#untilMidnight() + GRACE_MS);
    const result = await this.#close('due');
    if (result !== 'closed') defect(`the last day is not closed: ${result}`);
  }

  #untilMidnight(): number {
    return DAY_MS - (this.#options.clock.now() % DAY_MS);
  }

  async #close(wanted: WantedDays): Promise<string> {
    const { product, log } = this.#options;
    const result = await product.closeDays(wanted);
    if (result === undefined || result === DIED) {
      log.add(`close: ${result ?? 'nobody'}`);
      return result ?? 'nobody';
    }
    const { kind, days } = result;
    this.#closed += days.length;
    if (Math.abs(this.skewMs) > GRACE_MS) for (const day of days) this.daysByWrongClock.add(day);
    log.add(`close: ${kind} ${days.join(' ')}`);
    return kind;
  }
}
