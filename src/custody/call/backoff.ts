const BASE_MS = 500;
const CEILING_MS = 8_000;

/**
 * Milliseconds before the retry after failure number `failures` (1, 2, …). Exponential with full
 * jitter, so that clients which failed together retry apart. `random` is in [0, 1).
 */
export function backoffMs(failures: number, random: () => number): number {
  const ceiling = Math.min(CEILING_MS, BASE_MS * 2 ** (failures - 1));
  return Math.floor(random() * ceiling);
}
