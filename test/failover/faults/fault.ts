import type { Chance } from '../../simulation/seeded-draws.ts';
import type { Scene } from '../scene/scene.ts';

/** What a fault did to the service. */
export interface Suffered {
  /**
   * Milliseconds from the fault to the first acknowledgement of a notification that was sent after
   * it. From the end of the fault, where nobody may acknowledge during it.
   */
  readonly serveMs: number;
  /** Promises that were broken, in words. */
  readonly problems: readonly string[];
}

/** Breaks one part, and repairs it. `chance` draws how. */
export type Fault = (scene: Scene, chance: Chance) => Promise<Suffered>;
