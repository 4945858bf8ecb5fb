import { constants, getPriority, setPriority } from 'node:os';

/**
 * How urgent a reader's work is. `prompt`: somebody waits for one answer. `unhurried`: it takes long
 * anyway, and is not to keep webhooks waiting where threads outnumber processors.
 */
export type Pace = 'prompt' | 'unhurried';

/**
 * Lets the other threads go first, if this one is unhurried. Linux counts a priority by thread; elsewhere
 * it would be the whole process's, and is left as it is.
 */
export function keepPace(pace: Pace): void {
  if (pace === 'prompt' || process.platform !== 'linux') return;
  // 0: the caller, and threads that it starts; Node's pool is older.
  const low = constants.priority.PRIORITY_BELOW_NORMAL;
  // To raise it again is refused, where all of the program was started with a lower one.
  if (getPriority(0) < low) setPriority(0, low);
}
