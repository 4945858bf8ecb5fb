import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { Page, PageRequest } from '../../reads.ts';
import type { Tables } from '../tables.ts';

/** Null asks for none. A function is asked within the snapshot of the list. */
type Equal<Table extends keyof Tables> = {
  readonly [Column in keyof Tables[Table]]?:
    Tables[Table][Column] | readonly Tables[Table][Column][] | undefined;
};

function conditionOf([column, value]: [string, unknown]): RawBuilder<boolean> {
  const name = sql.ref(column);
  if (value === null) return sql<boolean>`${name} is null`;
  if (!Array.isArray(value)) return sql<boolean>`${name} = ${value}`;
  return sql<boolean>`${name} in (select value from json_each(${JSON.stringify(value)}))`;
}

/** A list of whole rows: what it is filtered by, and which ascending column it is the reverse of. */
export interface Listing<Table extends keyof Tables> {
  readonly table: Table;
  /** Columns that must equal these values, or one of several; an undefined one does not filter. */
  readonly equal: Equal<Table> | (() => Equal<Table>);
  /** `rowid` grows with insertion, and an update in place keeps it. */
  readonly newestFirstBy: 'rowid' | 'seq' | 'first_seq';
  /** Another order than newest first: what follows `order by`. */
  readonly orderBy?: RawBuilder<unknown> | undefined;
  /** A further condition, spelled as a partial index spells it so that the planner may use it. */
  readonly also?: RawBuilder<boolean> | undefined;
  /** How many rows all pages have, where that is kept; counted row by row where it is not. */
  readonly kept?: RawBuilder<{ total: number | null }> | undefined;
}

type PageOf<Table extends keyof Tables, Item> = PageRequest & {
  readonly itemOf: (row: Tables[Table]) => Item;
};

/** The sum of a table of counts whose columns must equal these values; an undefined one does not filter. */
export function keptTotal(
  table: 'notification_counts' | 'deposit_counts' | 'break_counts',
  equal: Readonly<Record<string, string | undefined>>,
  also?: RawBuilder<boolean>,
): RawBuilder<{ total: number | null }> {
  const conditions = Object.entries(equal)
    .filter(([, value]) => value !== undefined)
    .map(conditionOf);
  const all = [sql<boolean>`1 = 1`, ...conditions, ...(also === undefined ? [] : [also])];
  return sql`select sum(count) as total from ${sql.table(table)}
    where ${sql.join(all, sql.raw(' and '))}`;
}

/** Reads several queries at one snapshot: the file's state when the first of them runs. */
export function atSnapshot<Result>(
  db: Kysely<Tables>,
  read: (at: Kysely<Tables>) => Promise<Result>,
): Promise<Result> {
  return db.transaction().execute(read);
}

/** One page of a list, newest first, with the number of rows on all pages. */
export function readPage<Table extends keyof Tables, Item>(
  db: Kysely<Tables>,
  listing: Listing<Table>,
  page: PageOf<Table, Item>,
): Promise<Page<Item>> {
  return atSnapshot(db, (at) => pageAt(at, listing, page));
}

/** The same within a snapshot, for what more is read with the page. */
export async function pageAt<Table extends keyof Tables, Item>(
  at: Kysely<Tables>,
  listing: Listing<Table>,
  page: PageOf<Table, Item>,
): Promise<Page<Item>> {
  const { table, equal, newestFirstBy, orderBy, also } = listing;
  const conditions = Object.entries(typeof equal === 'function' ? equal() : equal)
    .filter(([, value]) => value !== undefined)
    .map(conditionOf);
  if (also !== undefined) conditions.push(also);
  const where =
    conditions.length === 0 ? sql`` : sql`where ${sql.join(conditions, sql.raw(' and '))}`;
  const count = sql<{ total: number }>`select count(*) as total from ${sql.table(table)} ${where}`;
  const counted = await (listing.kept ?? count).execute(at);
  const { rows } = await sql<Tables[Table]>`
    select * from ${sql.table(table)} ${where}
    order by ${orderBy ?? sql`${sql.ref(newestFirstBy)} desc`}
    limit ${page.pageSize} offset ${page.page * page.pageSize}`.execute(at);
  return {
    items: rows.map((row) => page.itemOf(row)),
    total: counted.rows[0]?.total ?? 0,
    page: page.page,
    pageSize: page.pageSize,
  };
}

/** Most values in one `IN (…)`; SQLite takes 32,766 parameters a statement. */
const VALUES_MAX = 500;

/** Cuts a list of look-ups into statements of a bounded size. */
export function inBatches<Value>(values: readonly Value[]): Value[][] {
  const batches: Value[][] = [];
  for (let from = 0; from < values.length; from += VALUES_MAX) {
    batches.push(values.slice(from, from + VALUES_MAX));
  }
  return batches;
}
