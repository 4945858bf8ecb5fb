import { KEY_SPACES, type KeySpace } from './key.ts';

/** The upper 14 of a fingerprint's 48 bits choose the bucket. */
export const BUCKETS = 16_384;
const BUCKET_WIDTH = 2 ** 34;

/** Numbers per key in a bucket: space, fingerprint and row. */
const NUMBERS_PER_KEY = 3;

/**
 * Keys in memory, in buckets by the first bits of their fingerprints. A bucket is a plain list of
 * numbers, which garbage collection need not traverse.
 */
export class KeyBuckets {
  readonly #buckets: number[][] = Array.from({ length: BUCKETS }, () => []);
  #size = 0;

  /** Number of keys in all buckets. */
  get size(): number {
    return this.#size;
  }

  /** Adds a key at the end of its bucket. */
  add(space: KeySpace, fingerprint: number, row: number): void {
    this.#bucketOf(fingerprint).push(KEY_SPACES[space], fingerprint, row);
    this.#size += 1;
  }

  /** Removes the newest key of the bucket that a fingerprint belongs to. */
  removeLast(fingerprint: number): void {
    this.#bucketOf(fingerprint).length -= NUMBERS_PER_KEY;
    this.#size -= 1;
  }

  /** The rows with a fingerprint: nearly always one or none. */
  rows(space: KeySpace, fingerprint: number): number[] {
    const bucket = this.#bucketOf(fingerprint);
    const rows: number[] = [];
    for (let at = 1; at < bucket.length; at += NUMBERS_PER_KEY) {
      if (bucket[at] === fingerprint && bucket[at - 1] === KEY_SPACES[space]) {
        rows.push(bucket[at + 1] ?? 0);
      }
    }
    return rows;
  }

  /** The keys of a bucket, [space, fingerprint, row] each, in the order of the table `keys`. */
  sorted(bucket: number): [number, number, number][] {
    const numbers = this.#buckets[bucket] ?? [];
    const entries: [number, number, number][] = [];
    for (let at = 0; at < numbers.length; at += NUMBERS_PER_KEY) {
      entries.push([numbers[at] ?? 0, numbers[at + 1] ?? 0, numbers[at + 2] ?? 0]);
    }
    return entries.sort((left, right) => left[0] - right[0] || left[1] - right[1]);
  }

  /** Removes the `count` oldest keys of a bucket. */
  removeFirst(bucket: number, count: number): void {
    this.#buckets[bucket] = (this.#buckets[bucket] ?? []).slice(NUMBERS_PER_KEY * count);
    this.#size -= count;
  }

  #bucketOf(fingerprint: number): number[] {
    return this.#buckets[Math.floor(fingerprint / BUCKET_WIDTH)] ?? [];
  }
}
