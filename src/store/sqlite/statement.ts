import type { Database, Statement } from 'better-sqlite3';
import type { Tables } from './tables.ts';

/** A statement that binds one row by its column names. */
export interface RowStatement<Table extends keyof Tables> {
  run(row: Tables[Table]): unknown;
}

function columnsOf(db: Database, table: keyof Tables): string[] {
  return (db.pragma(`table_info(${table})`) as { name: string }[]).map((column) => column.name);
}

function insertText(table: keyof Tables, columns: readonly string[]): string {
  const values = columns.map((column) => `@${column}`).join(', ');
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${values})`;
}

/** A compiled insert of one whole row. */
export function insertInto<Table extends keyof Tables>(
  db: Database,
  table: Table,
): RowStatement<Table> {
  return db.prepare<[Tables[Table]]>(insertText(table, columnsOf(db, table)));
}

/** A compiled insert that replaces the row of the same key. */
export function upsertInto<Table extends keyof Tables>(
  db: Database,
  table: Table,
  key: readonly (keyof Tables[Table] & string)[],
): RowStatement<Table> {
  const columns = columnsOf(db, table);
  const keyColumns: readonly string[] = key;
  const update = columns
    .filter((column) => !keyColumns.includes(column))
    .map((column) => `${column} = excluded.${column}`);
  return db.prepare<[Tables[Table]]>(
    `${insertText(table, columns)} ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${update.join(', ')}`,
  );
}

/** A compiled statement that adds to a counter row. */
export function addToCount(
  db: Database,
  table: 'movement_counts' | 'intake_counts',
  key: 'standing' | 'outcome',
): Statement<[string, number]> {
  return db.prepare(
    `INSERT INTO ${table} (${key}, count) VALUES (?, ?)
     ON CONFLICT (${key}) DO UPDATE SET count = count + excluded.count`,
  );
}
