import fc from 'fast-check';

/**
 * A stream of small decisions that fast-check generates and shrinks: once it runs dry every
 * decision is the first option, so that a smaller stream is a simpler story.
 */
export class Choices {
  readonly #stream: readonly number[];
  #at = 0;

  constructor(stream: readonly number[]) {
    this.#stream = stream;
  }

  /** A number from 0 to `bound` − 1. */
  below(bound: number): number {
    const next = this.#stream[this.#at] ?? 0;
    this.#at += 1;
    return next % bound;
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error('nothing to pick from');
    return item;
  }

  /** One way out of `ways`; never when the stream has run dry. */
  oneIn(ways: number): boolean {
    return this.below(ways) === ways - 1;
  }

  /** Some order in which each list's own order is kept. */
  interleaved<Item>(lists: readonly (readonly Item[])[]): Item[] {
    const left = lists.map((list) => [...list]).filter((list) => list.length > 0);
    const merged: Item[] = [];
    while (left.length > 0) {
      const at = this.below(left.length);
      const next = left[at]?.shift();
      if (next !== undefined) merged.push(next);
      if (left[at]?.length === 0) left.splice(at, 1);
    }
    return merged;
  }

  shuffled<Item>(items: readonly Item[]): Item[] {
    return this.interleaved(items.map((item) => [item]));
  }
}

export const choices: fc.Arbitrary<readonly number[]> = fc.array(fc.nat(2_519), {
  maxLength: 400,
  size: 'max',
});
