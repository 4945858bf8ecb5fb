/** Bytes of the newest facts kept at hand: what is delivered again was nearly always just delivered. */
const BYTES_MAX = 16 * 1024 * 1024;

/** The bodies of the newest facts, by their places in the journal. */
export class RecentBodies {
  readonly #bodies = new Map<number, Uint8Array>();
  #bytes = 0;

  add(seq: number, body: Uint8Array): void {
    this.#bodies.set(seq, body);
    this.#bytes += body.length;
    if (this.#bytes > BYTES_MAX) this.#dropOldest();
  }

  get(seq: number): Uint8Array | undefined {
    return this.#bodies.get(seq);
  }

  /** An eighth at once: a map that loses one for each that it gains is slow. */
  #dropOldest(): void {
    for (const [seq, body] of this.#bodies) {
      if (this.#bytes <= BYTES_MAX - BYTES_MAX / 8) return;
      this.#bodies.delete(seq);
      this.#bytes -= body.length;
    }
  }
}
