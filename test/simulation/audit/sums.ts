/** Sums by name. */
export class Sums {
  readonly #sums = new Map<string, bigint>();

  add(key: string, amount: bigint): void {
    this.#sums.set(key, (this.#sums.get(key) ?? 0n) + amount);
  }

  entries(): IterableIterator<[string, bigint]> {
    return this.#sums.entries();
  }

  /** Names whose sums are not the same here and there. */
  differences(other: Sums): { key: string; left: bigint; right: bigint }[] {
    return [...new Set([...this.#sums.keys(), ...other.#sums.keys()])]
      .map((key) => ({
        key,
        left: this.#sums.get(key) ?? 0n,
        right: other.#sums.get(key) ?? 0n,
      }))
      .filter(({ left, right }) => left !== right);
  }
}
