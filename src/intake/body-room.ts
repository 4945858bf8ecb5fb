/**
 * Bytes of long bodies in memory, from the first byte read until the answer. A queue counts bodies;
 * 8,192 of 1 MiB each would be 8 GiB. This many keep the writer busy for seconds, and leave room on a
 * machine of 512 MiB. One body of the largest `intake.maxBodyBytes` fits.
 */
export const LONG_BODIES_BYTES_MAX = 67_108_864;

/**
 * Nearly all bodies are shorter. The queue bounds them by number, so a flood of long bodies never
 * keeps a short one out.
 */
export const SHORT_BYTES = 4_096;

/** The bytes that one body holds in the room. */
export interface BodyShare {
  /** Whether there is room for an announced length. Takes nothing yet: the bytes may never come. */
  fits(bytes: number): boolean;
  /** Holds this many bytes for the body, all told; false, and nothing more held, without room. */
  grow(bytes: number): boolean;
  /** Gives everything back. */
  release(): void;
}

/** Bounds the bytes of long bodies that are in memory together. */
export class BodyRoom {
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(bytesMax: number = LONG_BODIES_BYTES_MAX) {
    this.#bytesMax = bytesMax;
  }

  /** A share for one more body. */
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
