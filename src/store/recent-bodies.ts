/** Bytes of the newest facts kept at hand: what is delivered again was nearly always just delivered. */
const BYTES_MAX = 16 * 1024 * 1024;
const SHELVES_MAX = 8;
const SHELF_BYTES = BYTES_MAX / SHELVES_MAX;
/** A body that is next to nothing takes room all the same. */
const SHELF_FACTS_MAX = 4_096;
/** Stands for the start of a body that is too large to be kept. */
const NOT_KEPT = -1;

/** Room for the bodies of facts that follow one another, and where in there each is. */
interface Shelf {
  readonly firstSeq: number;
  facts: number;
  readonly room: Uint8Array;
  /** Where what is kept ends. */
  end: number;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
}

/**
 * The bodies of the newest facts, by their places in the journal. They are copied: a body is a part
 * of the buffer that its whole batch came in, most of which may be repeats that no fact was made of.
 */
export class RecentBodies {
  /** Oldest first, and let go as a whole. */
  readonly #shelves: Shelf[] = [];

  /** Of facts one after the other, as they are journalled. */
  add(seq: number, body: Uint8Array): void {
    const isKept = body.length <= SHELF_BYTES;
    const shelf = this.#shelfFor(seq, isKept ? body.length : 0);
    const { facts, end } = shelf;
    shelf.facts += 1;
    shelf.starts[facts] = isKept ? end : NOT_KEPT;
    if (!isKept) return;
    shelf.room.set(body, end);
    shelf.end += body.length;
    shelf.ends[facts] = shelf.end;
  }

  get(seq: number): Uint8Array | undefined {
    const shelf = this.#shelves.findLast(({ firstSeq }) => firstSeq <= seq);
    if (shelf === undefined || seq >= shelf.firstSeq + shelf.facts) return undefined;
    const index = seq - shelf.firstSeq;
    const start = shelf.starts[index] ?? NOT_KEPT;
    return start === NOT_KEPT ? undefined : shelf.room.subarray(start, shelf.ends[index]);
  }

  #shelfFor(seq: number, length: number): Shelf {
    const newest = this.#shelves.at(-1);
    if (newest !== undefined && seq !== newest.firstSeq + newest.facts) {
      throw new Error(`fact ${seq} does not follow ${newest.firstSeq + newest.facts - 1}`);
    }
    const hasRoom =
      newest !== undefined && newest.end + length <= SHELF_BYTES && newest.facts < SHELF_FACTS_MAX;
    if (hasRoom) return newest;
    const shelf: Shelf = {
      firstSeq: seq,
      facts: 0,
      room: new Uint8Array(SHELF_BYTES),
      end: 0,
      starts: new Int32Array(SHELF_FACTS_MAX),
      ends: new Int32Array(SHELF_FACTS_MAX),
    };
    this.#shelves.push(shelf);
    if (this.#shelves.length > SHELVES_MAX) this.#shelves.shift();
    return shelf;
  }
}
