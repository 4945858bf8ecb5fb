import type { Fact } from '../domain/fact/fact.ts';

/** Most bytes kept of a refused body, as evidence. */
export const REFUSED_BYTES_KEPT = 65_536;
const HOUR_MS = 3_600_000;

/**
 * Limits how many refused bodies are kept as evidence, so that a flood of invalid bodies does not
 * fill the disk. Bodies beyond the limit are still refused; only metrics count them.
 */
export class RefusedBodies {
  readonly #perHourMax: number;
  #hour = -1;
  #kept = 0;

  constructor(perHourMax: number) {
    this.#perHourMax = perHourMax;
  }

  /**
   * The fact to journal for a refused body, or null when the hour's limit is reached. It keeps the
   * first `REFUSED_BYTES_KEPT` bytes. `at`: Unix milliseconds.
   */
  keep(raw: Uint8Array, defect: string, at: number): Fact | null {
    const hour = Math.floor(at / HOUR_MS);
    if (hour !== this.#hour) {
      this.#hour = hour;
      this.#kept = 0;
    }
    if (this.#kept >= this.#perHourMax) return null;
    this.#kept += 1;
    return { kind: 'refused', at, raw: raw.subarray(0, REFUSED_BYTES_KEPT), defect };
  }

  /** Does not count a body whose fact could not be committed: its sender will retry. */
  giveBack(): void {
    this.#kept = Math.max(0, this.#kept - 1);
  }
}
