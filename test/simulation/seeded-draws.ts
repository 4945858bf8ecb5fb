import { createHash } from 'node:crypto';
import { SeededRandom } from '../../src/commands/demo/story/random.ts';

/**
 * Draws of one part of a simulation. Every part has a stream of its own, so that a change in one
 * does not reshuffle the others.
 */
export class Chance {
  readonly #random: SeededRandom;

  constructor(seed: number, stream: string) {
    const digest = createHash('sha256').update(`${seed} ${stream}`).digest();
    this.#random = new SeededRandom(digest.readUInt32BE(0));
  }

  /** In [0, 1). */
  fraction(): number {
    return this.#random.next();
  }

  happens(probability: number): boolean {
    return this.#random.next() < probability;
  }

  /** An integer from `least` to `most`, both included. */
  between(least: number, most: number): number {
    return this.#random.between(least, most);
  }

  pick<Item>(items: readonly Item[]): Item {
    return this.#random.pick(items);
  }

  /** One of the items, or undefined when there is none. */
  pickAny<Item>(items: readonly Item[]): Item | undefined {
    return items.length === 0 ? undefined : this.#random.pick(items);
  }

  /** A name by its weight. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const entries = Object.entries(weights) as [Name, number][];
    let left = this.#random.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of entries) {
      left -= weight;
      if (left < 0) return name;
    }
    throw new Error('nothing to choose from');
  }

  /** Lower-case hex digits. */
  hex(digits: number): string {
    return Array.from({ length: digits }, () => this.between(0, 15).toString(16)).join('');
  }
}
