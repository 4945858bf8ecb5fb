import type { RequestBudget, Reservation } from '../../../src/custody/budget/budget.ts';
import type { Priority } from '../../../src/custody/budget/lane.ts';

/** Later than any moment of a test. */
export const FOREVER = Number.MAX_SAFE_INTEGER;

/** Reserves what has room; an error when there is none. */
export function take(
  budget: RequestBudget,
  priority: Priority,
): Extract<Reservation, { kind: 'now' }> {
  const reserved = budget.reserve({ priority, deadlineMs: FOREVER });
  if (reserved.kind !== 'now') throw new Error(`no room: ${reserved.kind}`);
  return reserved;
}

/** Sends until a priority finds no room; returns how many were sent. */
export function exhaust(budget: RequestBudget, priority: Priority): number {
  for (let sent = 0; ; sent += 1) {
    const reserved = budget.reserve({ priority, deadlineMs: FOREVER });
    if (reserved.kind !== 'now') return sent;
    reserved.finish();
  }
}
