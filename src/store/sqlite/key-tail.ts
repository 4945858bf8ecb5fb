const FIRST_ROOM = 1_024;
/** Fingerprints are from 0 up. */
const EMPTY = -1;
const REMOVED = -2;

const NO_ROWS: readonly number[] = [];

/**
 * Rows by fingerprint, in numbers and no objects: tens of thousands of them would otherwise be
 * looked at by every garbage collection. Fingerprints are digests, so their lowest bits say where to
 * look first; whatever stands there is passed over.
 */
export class KeyTail {
  #fingerprints = new Float64Array(FIRST_ROOM).fill(EMPTY);
  #rows = new Float64Array(FIRST_ROOM);
  /** Places that are not empty, removed ones among them. */
  #taken = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(fingerprint: number, row: number): void {
    if (2 * this.#taken >= this.#rows.length) this.#grow();
    let place = this.#placeOf(fingerprint);
    while (this.#fingerprints[place] !== EMPTY) place = this.#after(place);
    this.#fingerprints[place] = fingerprint;
    this.#rows[place] = row;
    this.#taken += 1;
    this.#size += 1;
  }

  /** Removes a row that was added, once. */
  remove(fingerprint: number, row: number): void {
    let place = this.#placeOf(fingerprint);
    while (this.#fingerprints[place] !== fingerprint || this.#rows[place] !== row) {
      if (this.#fingerprints[place] === EMPTY) return;
      place = this.#after(place);
    }
    this.#fingerprints[place] = REMOVED;
    this.#size -= 1;
  }

  /** The rows of a fingerprint: nearly always one or none. */
  get(fingerprint: number): readonly number[] {
    let found: number[] | undefined;
    let place = this.#placeOf(fingerprint);
    for (let at = this.#fingerprints[place]; at !== EMPTY; at = this.#fingerprints[place]) {
      if (at === fingerprint) (found ??= []).push(this.#rows[place] ?? 0);
      place = this.#after(place);
    }
    return found ?? NO_ROWS;
  }

  /** All fingerprints in order, one of several rows as often. */
  sorted(): Float64Array {
    return this.#fingerprints.filter((fingerprint) => fingerprint >= 0).sort();
  }

  #placeOf(fingerprint: number): number {
    return (fingerprint >>> 0) & (this.#rows.length - 1);
  }

  #after(place: number): number {
    return (place + 1) & (this.#rows.length - 1);
  }

  #grow(): void {
    const fingerprints = this.#fingerprints;
    const rows = this.#rows;
    // What was removed leaves no room behind: with much of it there is enough already.
    const room = 4 * this.#size < rows.length ? rows.length : 2 * rows.length;
    this.#fingerprints = new Float64Array(room).fill(EMPTY);
    this.#rows = new Float64Array(room);
    this.#taken = 0;
    this.#size = 0;
    for (const [place, fingerprint] of fingerprints.entries()) {
      if (fingerprint >= 0) this.add(fingerprint, rows[place] ?? 0);
    }
  }
}
