/** Words of 32 bits in a block; a key sets one bit of each. */
const BLOCK_WORDS = 8;
/** Then a block of 256 bits is half full, and one in a hundred keys that are not there seems to be. */
const KEYS_PER_BLOCK = 20;
const FIRST_BLOCKS = 2_048;
/** Each layer takes so many times the keys of the one before: there are never many to look into. */
const GROWTH = 4;

/** A factor for each word: odd numbers without a pattern. */
const SALTS = Int32Array.of(
  0x47b6137b,
  0x44974d91,
  0x8824ad5b,
  0xa2b7289d,
  0x705495c7,
  0x2df1424b,
  0x9efc4947,
  0x5c6bfb31,
);
/** Which of a word's 32 bits: the five upper ones of a product. */
const BIT_SHIFT = 27;
/** Fingerprints have 48 bits: the lower ones choose the block, the upper 32 the bits in it. */
const UPPER = 2 ** 16;

/** A split block Bloom filter of a fixed size. */
class Layer {
  readonly blocks: number;
  readonly #words: Int32Array;
  #room: number;

  /** `blocks`: a power of two. */
  constructor(blocks: number) {
    this.blocks = blocks;
    this.#words = new Int32Array(blocks * BLOCK_WORDS);
    this.#room = blocks * KEYS_PER_BLOCK;
  }

  get isFull(): boolean {
    return this.#room <= 0;
  }

  add(fingerprint: number): void {
    const block = this.#blockOf(fingerprint);
    const upper = Math.floor(fingerprint / UPPER);
    for (let word = 0; word < BLOCK_WORDS; word += 1) {
      const bits = this.#words[block + word] ?? 0;
      this.#words[block + word] = bits | (1 << (Math.imul(upper, SALTS[word] ?? 0) >>> BIT_SHIFT));
    }
    this.#room -= 1;
  }

  mayHold(fingerprint: number): boolean {
    const block = this.#blockOf(fingerprint);
    const upper = Math.floor(fingerprint / UPPER);
    for (let word = 0; word < BLOCK_WORDS; word += 1) {
      const bits = this.#words[block + word] ?? 0;
      if (((bits >>> (Math.imul(upper, SALTS[word] ?? 0) >>> BIT_SHIFT)) & 1) === 0) return false;
    }
    return true;
  }

  #blockOf(fingerprint: number): number {
    return ((fingerprint >>> 0) & (this.blocks - 1)) * BLOCK_WORDS;
  }
}

/**
 * Knows of nearly every fingerprint that is not in the table `keys` that it is not, so that what was
 * never seen costs no look into it. It never says so of one that is: who is told "perhaps" looks.
 * About 13 to 26 bits a key; it grows with them.
 */
export class KeyFilter {
  /** The newest first: only that one takes more. */
  readonly #layers: [Layer, ...Layer[]];

  /** `expected`: how many keys it is going to hold at least. */
  constructor(expected = 0) {
    let blocks = FIRST_BLOCKS;
    while (blocks * KEYS_PER_BLOCK < expected) blocks *= 2;
    this.#layers = [new Layer(blocks)];
  }

  /** What seems to be there takes no more room: a merge that is rolled back adds its keys again. */
  add(fingerprint: number): void {
    if (this.mayHold(fingerprint)) return;
    let [newest] = this.#layers;
    if (newest.isFull) {
      newest = new Layer(GROWTH * newest.blocks);
      this.#layers.unshift(newest);
    }
    newest.add(fingerprint);
  }

  mayHold(fingerprint: number): boolean {
    return this.#layers.some((layer) => layer.mayHold(fingerprint));
  }
}
