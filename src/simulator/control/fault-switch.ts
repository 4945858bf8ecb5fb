import type { VirtualClock } from '../clock.ts';
import type { World } from '../world/world.ts';
import type { Faults, FaultSet } from './fault.ts';

/** Replaces the faults of every kind together. */
export class FaultSwitch {
  readonly #faults: Faults;
  readonly #world: World;
  readonly #virtualClock: VirtualClock | undefined;

  constructor(parts: { faults: Faults; world: World; virtualClock: VirtualClock | undefined }) {
    this.#faults = parts.faults;
    this.#world = parts.world;
    this.#virtualClock = parts.virtualClock;
  }

  current(): FaultSet {
    return this.#faults.current();
  }

  async replace(set: FaultSet): Promise<void> {
    // Deliveries that are due belong to the old faults. Otherwise the same seed would not repeat
    // its faults.
    await this.#virtualClock?.advance(0);
    this.#faults.replace(set);
    this.#world.setTransactionFaults(set.transactions ?? []);
  }
}
