/**
 * Most bytes of long bodies in memory, from their first byte until their answer. A limit on the
 * number of bodies alone is not enough: 8,192 bodies of 1 MiB are 8 GiB. This limit keeps the
 * writer busy for seconds and fits a machine with 512 MiB. One body of the largest
 * `intake.maxBodyBytes` fits.
 */
const LONG_BODIES_BYTES_MAX = 67_108_864;

/**
 * Bodies up to this length are short and never count. The queue limits their number, so a flood of
 * long bodies never refuses a short one.
 */
export const SHORT_BYTES = 4_096;

/** The memory that one body holds. */
export interface BodyShare {
  /** Whether an announced length fits. Reserves nothing, because the bytes may never arrive. */
  fits(bytes: number): boolean;
  /**
   * Reserves `bytes` in total for the body. Returns false, and reserves nothing more, when they do
   * not fit.
   */
  grow(bytes: number): boolean;
  /** Releases the body's memory. */
  release(): void;
}

/** Limits the memory of all long bodies together. */
export class BodyMemory {
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(bytesMax: number = LONG_BODIES_BYTES_MAX) {
    this.#bytesMax = bytesMax;
  }

  /** The memory of one more body. */
  share(): BodyShare {
    let held = 0;
    const fits = (bytes: number): boolean =>
      bytes <= SHORT_BYTES || this.#bytes - held + bytes <= this.#bytesMax;
    const hold = (bytes: number): void => {
      this.#bytes += bytes - held;
      held = bytes;
    };
    return {
      fits,
      grow: (bytes) => {
        if (!fits(bytes)) return false;
        if (bytes > SHORT_BYTES) hold(bytes);
        return true;
      },
      release: () => hold(0),
    };
  }
}
