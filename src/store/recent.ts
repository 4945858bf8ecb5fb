/**
 * What was asked for of late. `age` ends a period: what was neither asked for nor put during it or
 * the one before is let go. Nothing that is still needed is thrown out with the rest, and nobody
 * looks through all of it.
 */
export class Recent<Key, Value extends object | null> {
  #period = new Map<Key, Value>();
  #periodBefore = new Map<Key, Value>();

  /** How much was asked for or put in this period. */
  get size(): number {
    return this.#period.size;
  }

  /** Whether all is let go. */
  get isEmpty(): boolean {
    return this.#period.size === 0 && this.#periodBefore.size === 0;
  }

  get(key: Key): Value | undefined {
    const known = this.#period.get(key);
    if (known !== undefined) return known;
    const before = this.#periodBefore.get(key);
    if (before !== undefined) this.#period.set(key, before);
    return before;
  }

  set(key: Key, value: Value): void {
    this.#period.set(key, value);
  }

  age(): void {
    this.#periodBefore = this.#period;
    this.#period = new Map();
  }
}
