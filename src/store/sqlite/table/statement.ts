import type { Database, Statement } from 'better-sqlite3';
import type { Mapping } from './mapping.ts';
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

function insertText(table: string, columns: readonly string[]): string {
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

function upsertText(
  table: string,
  columns: readonly string[],
  key: readonly string[],
  fixed: readonly string[],
): string {
  const update = columns
    .filter((column) => !key.includes(column) && !fixed.includes(column))
    .map((column) => `${column} = excluded.${column}`);
  return `${insertText(table, columns)} ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${update.join(', ')}`;
}

/** Compiles an insert that replaces the row of the same key. */
export function upsertInto<Table extends keyof Tables>(
  db: Database,
  table: Table,
  key: readonly ColumnOf<Table>[],
): RowStatement<Table> {
  const columns = columnsOf(db, table);
  return rowStatement(db, upsertText(table, columns, key, []), columns);
}

/** A compiled statement that writes one record. `extra`: the columns that no member keeps. */
interface RecordStatement<Item, Extra> {
  run(item: Item, extra: Extra): void;
}

function recordStatement<Item, Extra>(
  db: Database,
  sql: string,
  { columns }: Mapping<Item, Extra, never>,
): RecordStatement<Item, Extra> {
  const statement = db.prepare(sql);
  return {
    run: (item, extra) => {
      statement.run(columns.map(({ write }) => write(item, extra)));
    },
  };
}

/** Compiles an insert of one record. */
export function insertRecords<Item, Extra>(
  db: Database,
  of: Mapping<Item, Extra, never>,
): RecordStatement<Item, Extra> {
  return recordStatement(db, insertText(of.table, namesOf(of.columns)), of);
}

/**
 * Compiles an insert that replaces the record of the same key. `fixed`: columns that never change;
 * SQLite does not write their indexes then.
 */
export function upsertRecords<Item, Extra>(
  db: Database,
  of: Mapping<Item, Extra, never>,
  fixed: readonly string[] = [],
): RecordStatement<Item, Extra> {
  const { table, columns, key } = of;
  return recordStatement(db, upsertText(table, namesOf(columns), namesOf(key), fixed), of);
}

function namesOf(columns: readonly { readonly name: string }[]): string[] {
  return columns.map(({ name }) => name);
}

/**
 * Inserts new records, and updates only the changed columns of known ones. SQLite writes the indexes
 * of every column that an update names, even when the value is the same.
 */
export class ChangedRecords<Item extends object, Extra> {
  readonly #db: Database;
  readonly #of: Mapping<Item, Extra, never>;
  readonly #insert: RecordStatement<Item, Extra>;
  /** Compiled updates, by the names of the changed columns. */
  readonly #updates = new Map<string, Statement>();

  constructor(db: Database, of: Mapping<Item, Extra, never>) {
    this.#db = db;
    this.#of = of;
    this.#insert = insertRecords(db, of);
  }

  /** `before`: the record in the table; undefined when it is new. */
  write({ before, after }: { before: Item | undefined; after: Item }, extra: Extra): void {
    const { columns, key } = this.#of;
    if (before === undefined) {
      this.#insert.run(after, extra);
      return;
    }
    const changed = columns.filter(
      ({ member, write }) =>
        member !== null &&
        before[member] !== after[member] &&
        write(before, extra) !== write(after, extra),
    );
    if (changed.length === 0) return;
    this.#updateOf(namesOf(changed)).run(
      [...changed, ...key].map(({ write }) => write(after, extra)),
    );
  }

  #updateOf(changed: readonly string[]): Statement {
    const names = changed.join(' = ?, ');
    const known = this.#updates.get(names);
    if (known !== undefined) return known;
    const { table, key } = this.#of;
    const where = key.map(({ name }) => `${name} = ?`).join(' AND ');
    const update = this.#db.prepare(`UPDATE ${table} SET ${names} = ? WHERE ${where}`);
    this.#updates.set(names, update);
    return update;
  }
}

/** Compiles a statement that adds to a counter, which it creates when it is missing. */
export function addToCount(
  db: Database,
  table: 'movement_counts' | 'deposit_counts' | 'intake_counts',
  key: 'agreement' | 'state' | 'outcome',
): Statement<[string, number]> {
  return db.prepare(
    `INSERT INTO ${table} (${key}, count) VALUES (?, ?)
     ON CONFLICT (${key}) DO UPDATE SET count = count + excluded.count`,
  );
}
