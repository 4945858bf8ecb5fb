/** What a change hook hears; `record` is undefined for a deletion. */
export interface TableChange {
  table: string;
  key: string;
  record: unknown;
}

/** Rows by a derived key, kept true through every change of the table. */
export interface Index<R> {
  /** In order of insertion under this key. */
  find(key: string): R[];
  count(key: string): number;
  /** Every key that has at least one row. */
  keys(): IterableIterator<string>;
}

/**
 * A keyed map of plain records. A record is never changed in place: `put` a new one. That makes a
 * snapshot a copy of the map, and lets a change hook write through to a database.
 */
export class Table<R extends object> {
  readonly name: string;
  readonly #rows = new Map<string, R>();
  readonly #indexes: RowIndex<R>[] = [];
  readonly #onChange: (change: TableChange) => void;

  constructor(name: string, onChange: (change: TableChange) => void) {
    this.name = name;
    this.#onChange = onChange;
  }

  get size(): number {
    return this.#rows.size;
  }

  get(key: string): R | undefined {
    return this.#rows.get(key);
  }

  has(key: string): boolean {
    return this.#rows.has(key);
  }

  put(key: string, record: R): void {
    const previous = this.#rows.get(key);
    this.#rows.set(key, record);
    for (const index of this.#indexes) index.replace(key, previous, record);
    this.#onChange({ table: this.name, key, record });
  }

  delete(key: string): boolean {
    const previous = this.#rows.get(key);
    if (previous === undefined) return false;
    this.#rows.delete(key);
    for (const index of this.#indexes) index.replace(key, previous, undefined);
    this.#onChange({ table: this.name, key, record: undefined });
    return true;
  }

  clear(): void {
    // Deleting what a map iterator stands on is safe.
    for (const key of this.#rows.keys()) this.delete(key);
  }

  /** In order of first insertion. */
  list(): IterableIterator<R> {
    return this.#rows.values();
  }

  entries(): IterableIterator<[string, R]> {
    return this.#rows.entries();
  }

  /** Declares an index; `keysOf` gives the keys under which a row is found, none at all included. */
  index(keysOf: (row: R) => readonly string[]): Index<R> {
    const index = new RowIndex(this.#rows, keysOf);
    index.rebuild();
    this.#indexes.push(index);
    return index;
  }

  /** A copy of the rows, for a snapshot. */
  copy(): Map<string, object> {
    return new Map<string, object>(this.#rows);
  }

  /** Replaces every row, telling the hook only about what differs. */
  load(rows: ReadonlyMap<string, object>): void {
    for (const key of this.#rows.keys()) {
      if (!rows.has(key)) this.#onChange({ table: this.name, key, record: undefined });
    }
    const previous = new Map(this.#rows);
    this.#rows.clear();
    for (const [key, row] of rows) {
      // Rows come from `copy` of the same table, or from its database.
      this.#rows.set(key, row as R);
      if (previous.get(key) !== row) this.#onChange({ table: this.name, key, record: row });
    }
    for (const index of this.#indexes) index.rebuild();
  }
}

class RowIndex<R extends object> implements Index<R> {
  readonly #rows: ReadonlyMap<string, R>;
  readonly #keysOf: (row: R) => readonly string[];
  readonly #buckets = new Map<string, Set<string>>();

  constructor(rows: ReadonlyMap<string, R>, keysOf: (row: R) => readonly string[]) {
    this.#rows = rows;
    this.#keysOf = keysOf;
  }

  find(key: string): R[] {
    const found: R[] = [];
    for (const rowKey of this.#buckets.get(key) ?? []) {
      const row = this.#rows.get(rowKey);
      if (row !== undefined) found.push(row);
    }
    return found;
  }

  count(key: string): number {
    return this.#buckets.get(key)?.size ?? 0;
  }

  keys(): IterableIterator<string> {
    return this.#buckets.keys();
  }

  replace(rowKey: string, previous: R | undefined, next: R | undefined): void {
    const nextKeys = next === undefined ? [] : this.#keysOf(next);
    if (previous !== undefined) {
      for (const key of this.#keysOf(previous)) {
        if (!nextKeys.includes(key)) this.#remove(key, rowKey);
      }
    }
    for (const key of nextKeys) this.#add(key, rowKey);
  }

  rebuild(): void {
    this.#buckets.clear();
    for (const [rowKey, row] of this.#rows) {
      for (const key of this.#keysOf(row)) this.#add(key, rowKey);
    }
  }

  #add(key: string, rowKey: string): void {
    const bucket = this.#buckets.get(key);
    if (bucket === undefined) this.#buckets.set(key, new Set([rowKey]));
    else bucket.add(rowKey);
  }

  #remove(key: string, rowKey: string): void {
    const bucket = this.#buckets.get(key);
    bucket?.delete(rowKey);
    if (bucket?.size === 0) this.#buckets.delete(key);
  }
}
