import { constants, getPriority, setPriority } from 'node:os';

/**
 * Urgency of a reader's work. `prompt`: a caller waits for one answer. `unhurried`: slow work,
 * which must not delay webhooks when there are more threads than processors.
 */
export type Pace = 'prompt' | 'unhurried';

/**
 * Lowers the priority of an `unhurried` thread. Only on Linux, where a priority applies to one
 * thread; elsewhere it would apply to the whole process.
 */
export function keepPace(pace: Pace): void {
  if (pace === 'prompt' || process.platform !== 'linux') return;
  // 0 means this thread and threads that it starts. Node's thread pool already exists.
  const low = constants.priority.PRIORITY_BELOW_NORMAL;
  // Do not raise the priority of a program that was started with a lower one: the system would
  // refuse.
  if (getPriority(0) < low) setPriority(0, low);
}
