import type { Database, Statement } from 'better-sqlite3';
import type { Tables } from './tables.ts';

/** A compiled statement that writes one whole row. */
export interface RowStatement<Table extends keyof Tables> {
  run(row: Tables[Table]): void;
}

/** Binds values by position, because binding by name looks up every column again. */
function rowStatement<Table extends keyof Tables>(
  db: Database,
  sql: string,
  columns: readonly (keyof Tables[Table])[],
): RowStatement<Table> {
  const statement = db.prepare(sql);
  return {
    run: (row) => {
      statement.run(columns.map((column) => row[column]));
    },
  };
}

type ColumnOf<Table extends keyof Tables> = keyof Tables[Table] & string;

/** The columns of a table. A test compares the row types with the schema. */
function columnsOf<Table extends keyof Tables>(db: Database, table: Table): ColumnOf<Table>[] {
  const columns = db.pragma(`table_info(${table})`) as { name: ColumnOf<Table> }[];
  return columns.map((column) => column.name);
}

function insertText(table: keyof Tables, columns: readonly string[]): string {
  const values = columns.map(() => '?').join(', ');
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${values})`;
}

/**
 * Compiles an insert of one whole row. One statement for several rows is slower: SQLite copies each
 * page that such a statement changes, so that it can undo the statement alone.
 */
export function insertInto<Table extends keyof Tables>(
  db: Database,
  table: Table,
): RowStatement<Table> {
  const columns = columnsOf(db, table);
  return rowStatement(db, insertText(table, columns), columns);
}

/**
 * Compiles an insert that replaces the row of the same key. `fixed`: columns that never change;
 * SQLite does not write their indexes then.
 */
export function upsertInto<Table extends keyof Tables>(
  db: Database,
  table: Table,
  key: readonly ColumnOf<Table>[],
  fixed: readonly ColumnOf<Table>[] = [],
): RowStatement<Table> {
  const columns = columnsOf(db, table);
  const kept = new Set([...key, ...fixed]);
  const update = columns
    .filter((column) => !kept.has(column))
    .map((column) => `${column} = excluded.${column}`);
  return rowStatement(
    db,
    `${insertText(table, columns)} ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${update.join(', ')}`,
    columns,
  );
}

/**
 * Inserts new rows, and updates only the changed columns of known ones. SQLite writes the indexes
 * of every column that an update names, even when the value is the same.
 */
export class ChangedRows<Table extends keyof Tables> {
  readonly #db: Database;
  readonly #table: Table;
  readonly #key: readonly ColumnOf<Table>[];
  readonly #columns: readonly ColumnOf<Table>[];
  readonly #insert: RowStatement<Table>;
  /** Compiled updates, by the names of the changed columns. */
  readonly #updates = new Map<string, RowStatement<Table>>();

  constructor(db: Database, table: Table, key: readonly ColumnOf<Table>[]) {
    this.#db = db;
    this.#table = table;
    this.#key = key;
    this.#columns = columnsOf(db, table);
    this.#insert = insertInto(db, table);
  }

  /** `before`: the row in the table; undefined when the row is new. */
  write(before: Tables[Table] | undefined, after: Tables[Table]): void {
    if (before === undefined) return this.#insert.run(after);
    const changed = this.#columns.filter((column) => before[column] !== after[column]);
    if (changed.length > 0) this.#updateOf(changed).run(after);
  }

  #updateOf(changed: readonly ColumnOf<Table>[]): RowStatement<Table> {
    const names = changed.join(' = ?, ');
    const known = this.#updates.get(names);
    if (known !== undefined) return known;
    const where = this.#key.map((column) => `${column} = ?`).join(' AND ');
    const sql = `UPDATE ${this.#table} SET ${names} = ? WHERE ${where}`;
    const update = rowStatement<Table>(this.#db, sql, [...changed, ...this.#key]);
    this.#updates.set(names, update);
    return update;
  }
}

/** Compiles a statement that adds to a counter, which it creates when it is missing. */
export function addToCount(
  db: Database,
  table: 'movement_counts' | 'deposit_counts' | 'intake_counts',
  key: 'standing' | 'state' | 'outcome',
): Statement<[string, number]> {
  return db.prepare(
    `INSERT INTO ${table} (${key}, count) VALUES (?, ?)
     ON CONFLICT (${key}) DO UPDATE SET count = count + excluded.count`,
  );
}
