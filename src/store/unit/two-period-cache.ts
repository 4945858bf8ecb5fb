/**
 * A cache of two periods. `age` ends a period and forgets what was neither read nor put in it or in
 * the one before. Forgetting costs nothing: no entry is looked at.
 */
export class TwoPeriodCache<Key, Value extends object | null> {
  #period = new Map<Key, Value>();
  #periodBefore = new Map<Key, Value>();

  /** How many entries were read or put in this period. */
  get size(): number {
    return this.#period.size;
  }

  /** Whether nothing is left of either period. */
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
