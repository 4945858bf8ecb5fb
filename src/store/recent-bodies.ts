/** Bytes of the newest facts kept at hand: what is delivered again was nearly always just delivered. */
const BYTES_MAX = 16 * 1024 * 1024;
const SHELVES_MAX = 8;
const SHELF_BYTES = BYTES_MAX / SHELVES_MAX;
/** A body that is next to nothing takes room all the same. */
const SHELF_FACTS_MAX = 4_096;

/** Room for bodies that follow one another, and the facts that they are of. */
interface Shelf {
  readonly room: Uint8Array;
  end: number;
  readonly seqs: number[];
}

/**
 * The bodies of the newest facts, by their places in the journal. They are copied: a body is a part
 * of the buffer that its whole batch came in, most of which may be repeats that no fact was made of.
 */
export class RecentBodies {
  readonly #bodies = new Map<number, Uint8Array>();
  /** Oldest first, and let go as a whole: a map that loses one for each that it gains is slow. */
  readonly #shelves: Shelf[] = [];

  add(seq: number, body: Uint8Array): void {
    if (body.length > SHELF_BYTES) return;
    const shelf = this.#shelfFor(body.length);
    const start = shelf.end;
    shelf.end += body.length;
    shelf.room.set(body, start);
    shelf.seqs.push(seq);
    this.#bodies.set(seq, shelf.room.subarray(start, shelf.end));
  }

  get(seq: number): Uint8Array | undefined {
    return this.#bodies.get(seq);
  }

  #shelfFor(length: number): Shelf {
    const newest = this.#shelves.at(-1);
    const hasRoom =
      newest !== undefined &&
      newest.end + length <= SHELF_BYTES &&
      newest.seqs.length < SHELF_FACTS_MAX;
    if (hasRoom) return newest;
    const shelf: Shelf = { room: new Uint8Array(SHELF_BYTES), end: 0, seqs: [] };
    this.#shelves.push(shelf);
    if (this.#shelves.length > SHELVES_MAX) {
      for (const seq of this.#shelves.shift()?.seqs ?? []) this.#bodies.delete(seq);
    }
    return shelf;
  }
}
