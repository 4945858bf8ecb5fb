import type { Fact } from '../domain/fact.ts';

/** How much of a refused body is kept as evidence. */
export const REFUSED_BYTES_KEPT = 65_536;
const HOUR_MS = 3_600_000;

/**
 * Bounds the evidence kept of refused bodies: who floods us with garbage must not fill the disk.
 * Beyond the bound they are still refused, and counted by metrics only.
 */
export class RefusedBodies {
  readonly #perHourMax: number;
  #hour = -1;
  #kept = 0;

  constructor(perHourMax: number) {
    this.#perHourMax = perHourMax;
  }

  /** The fact to journal for a refused body, or null when the hour's bound is reached. */
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

  /** Its fact could not be committed and the sender will try again: it does not count. */
  giveBack(): void {
    this.#kept = Math.max(0, this.#kept - 1);
  }
}
