import type { Database, Statement } from 'better-sqlite3';
import type { Tables } from './tables.ts';

/** A statement that takes one whole row. */
export interface RowStatement<Table extends keyof Tables> {
  run(row: Tables[Table]): void;
}

/** Values are bound by their places: binding by name looks every column up again. */
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

/** How many rows one statement takes: the most first. */
const AT_ONCE = [16, 4, 1] as const;

/**
 * Inserts rows many at a time: a call for each costs as much as writing it. `into`: the statement up
 * to `VALUES`, with so many `columns`.
 */
export class ManyRows<Row extends readonly unknown[]> {
  readonly #sizes;

  constructor(db: Database, { into, columns }: { into: string; columns: number }) {
    const row = `(${Array(columns).fill('?').join(', ')})`;
    this.#sizes = AT_ONCE.map((size) => ({
      size,
      statement: db.prepare<Row[]>(`${into} VALUES ${Array(size).fill(row).join(', ')}`),
    }));
  }

  insert(rows: readonly Row[]): void {
    let done = 0;
    for (const { size, statement } of this.#sizes) {
      for (; rows.length - done >= size; done += size) {
        statement.run(...rows.slice(done, done + size));
      }
    }
  }
}

type ColumnOf<Table extends keyof Tables> = keyof Tables[Table] & string;

/** A test holds the types of the rows against the schema. */
function columnsOf<Table extends keyof Tables>(db: Database, table: Table): ColumnOf<Table>[] {
  const columns = db.pragma(`table_info(${table})`) as { name: ColumnOf<Table> }[];
  return columns.map((column) => column.name);
}

function insertText(table: keyof Tables, columns: readonly string[]): string {
  const values = columns.map(() => '?').join(', ');
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${values})`;
}

/** A compiled insert of one whole row. */
export function insertInto<Table extends keyof Tables>(
  db: Database,
  table: Table,
): RowStatement<Table> {
  const columns = columnsOf(db, table);
  return rowStatement(db, insertText(table, columns), columns);
}

/**
 * A compiled insert that replaces the row of the same key. `fixed`: columns that a row keeps for
 * good; their indexes are then left alone.
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

/** A compiled update of some columns of the row of a key; indexes of others are left alone. */
export function updateOf<Table extends keyof Tables>(
  db: Database,
  table: Table,
  {
    key,
    columns,
  }: { readonly key: readonly ColumnOf<Table>[]; readonly columns: readonly ColumnOf<Table>[] },
): RowStatement<Table> {
  const set = columns.map((column) => `${column} = ?`).join(', ');
  const where = key.map((column) => `${column} = ?`).join(' AND ');
  return rowStatement(db, `UPDATE ${table} SET ${set} WHERE ${where}`, [...columns, ...key]);
}

/** The columns of a table but for some. */
export function columnsBut<Table extends keyof Tables>(
  db: Database,
  table: Table,
  without: readonly ColumnOf<Table>[],
): ColumnOf<Table>[] {
  return columnsOf(db, table).filter((column) => !without.includes(column));
}

/** A compiled statement that adds to a counter row. */
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
