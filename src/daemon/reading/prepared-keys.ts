import type { KeyLookup } from '../../store/sqlite/keys/key-lookup.ts';

/** Pause before the keys of new facts are read. Those of 1,000 facts take some 4 ms. */
const AGAIN_MS = 1_000;

/**
 * Reads keys between calls, at the start and then once a second. So the first search after a start
 * waits for one step only, and the first after minutes of deliveries for a second's facts.
 */
export function keepPrepared(keys: Pick<KeyLookup, 'step'>): void {
  let isLevel = true;
  try {
    isLevel = keys.step();
  } catch {
    // The call that needs the keys fails, and says why.
  }
  if (isLevel) setTimeout(keepPrepared, AGAIN_MS, keys);
  else setImmediate(keepPrepared, keys);
}
