/** One change of a table; `record` is undefined for a deletion. */
export interface TableChange {
  table: string;
  key: string;
  record: unknown;
}

/** Rows by a derived key. Every change of the table updates the index. */
export interface Index<R> {
  /**
   * The rows in the order of the table. The order in which they got this key does not survive a
   * restore, and a restored core must behave like the first one.
   */
  find(key: string): R[];
  count(key: string): number;
  /** Every key that has at least one row. */
  keys(): IterableIterator<string>;
}

/**
 * A keyed map of plain records. A record is never changed in place: `put` a new one. So a snapshot
 * is a copy of the map, and a change hook can write the record to a database.
 */
export class Table<R extends object> {
  readonly name: string;
  readonly #rows = new Map<string, R>();
  /** Each row's number; only the order of the numbers matters. */
  readonly #ordinals = new Map<string, number>();
  #lastOrdinal = 0;
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
    if (previous === undefined) this.#ordinals.set(key, (this.#lastOrdinal += 1));
    this.#rows.set(key, record);
    for (const index of this.#indexes) index.replace(key, previous, record);
    this.#onChange({ table: this.name, key, record });
  }

  delete(key: string): boolean {
    const previous = this.#rows.get(key);
    if (previous === undefined) return false;
    this.#rows.delete(key);
    this.#ordinals.delete(key);
    for (const index of this.#indexes) index.replace(key, previous, undefined);
    this.#onChange({ table: this.name, key, record: undefined });
    return true;
  }

  clear(): void {
    // A map iterator allows the deletion of its current key.
    for (const key of this.#rows.keys()) this.delete(key);
  }

  /** In order of first insertion. */
  list(): IterableIterator<R> {
    return this.#rows.values();
  }

  entries(): IterableIterator<[string, R]> {
    return this.#rows.entries();
  }

  /** Adds an index; `keysOf` returns the keys under which a row is found, or none. */
  index(keysOf: (row: R) => readonly string[]): Index<R> {
    const index = new RowIndex(this.#rows, this.#ordinals, keysOf);
    index.rebuild();
    this.#indexes.push(index);
    return index;
  }

  /** A copy of the rows, for a snapshot. */
  copy(): Map<string, object> {
    return new Map<string, object>(this.#rows);
  }

  /**
   * Replaces every row and calls the hook for each difference. When differences alone would give a
   * copy another order, the hook gets every row again.
   */
  load(rows: ReadonlyMap<string, object>): void {
    const previous = new Map(this.#rows);
    const known = keepsOrder(previous, rows) ? previous : undefined;
    for (const key of previous.keys()) {
      if (known === undefined || !rows.has(key)) {
        this.#onChange({ table: this.name, key, record: undefined });
      }
    }
    this.#rows.clear();
    this.#ordinals.clear();
    for (const [key, row] of rows) {
      // The rows come from `copy` of the same table, or from its database.
      this.#rows.set(key, row as R);
      this.#ordinals.set(key, (this.#lastOrdinal += 1));
      if (known?.get(key) !== row) this.#onChange({ table: this.name, key, record: row });
    }
    for (const index of this.#indexes) index.rebuild();
  }
}

/**
 * Whether `before` becomes `after`, in the same order, when missing rows are deleted and new ones
 * are put.
 */
function keepsOrder(
  before: ReadonlyMap<string, object>,
  after: ReadonlyMap<string, object>,
): boolean {
  const wanted = after.keys();
  for (const key of before.keys()) {
    if (after.has(key) && wanted.next().value !== key) return false;
  }
  return true;
}

class RowIndex<R extends object> implements Index<R> {
  readonly #rows: ReadonlyMap<string, R>;
  readonly #ordinals: ReadonlyMap<string, number>;
  readonly #keysOf: (row: R) => readonly string[];
  readonly #buckets = new Map<string, Set<string>>();

  constructor(
    rows: ReadonlyMap<string, R>,
    ordinals: ReadonlyMap<string, number>,
    keysOf: (row: R) => readonly string[],
  ) {
    this.#rows = rows;
    this.#ordinals = ordinals;
    this.#keysOf = keysOf;
  }

  find(key: string): R[] {
    const found: { row: R; ordinal: number }[] = [];
    let lastOrdinal = 0;
    let inOrder = true;
    for (const rowKey of this.#buckets.get(key) ?? []) {
      const row = this.#rows.get(rowKey);
      const ordinal = this.#ordinals.get(rowKey);
      if (row === undefined || ordinal === undefined) continue;
      inOrder &&= ordinal > lastOrdinal;
      lastOrdinal = ordinal;
      found.push({ row, ordinal });
    }
    if (!inOrder) found.sort((left, right) => left.ordinal - right.ordinal);
    return found.map(({ row }) => row);
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
