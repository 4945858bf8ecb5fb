import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { Page, PageRequest } from '../../page.ts';
import type { AssetAmount } from '../../queries.ts';
import type { Tables } from '../table/tables.ts';

/** Values of columns. Null matches rows without a value; a list matches each of its values. */
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

/** Conditions of columns that must equal these values; undefined does not filter. */
export function equalities(equal: Readonly<Record<string, unknown>>): RawBuilder<boolean>[] {
  return Object.entries(equal)
    .filter(([, value]) => value !== undefined)
    .map(conditionOf);
}

/** Conditions together; undefined ones do not filter. */
export function all(conditions: readonly (RawBuilder<boolean> | undefined)[]): RawBuilder<boolean> {
  const given = conditions.filter((one) => one !== undefined);
  return given.length === 0
    ? sql<boolean>`1 = 1`
    : sql<boolean>`${sql.join(given, sql.raw(' and '))}`;
}

/**
 * Whether a row's asset and the amount in a column are among these. One parameter holds them all:
 * SQLite refuses a condition of more than 1,000 terms.
 */
export function isAnyOf(column: string, amounts: readonly AssetAmount[]): RawBuilder<boolean> {
  const pairs = JSON.stringify(amounts.map(({ asset, amount }) => [asset, amount.toString()]));
  return sql<boolean>`(asset, ${sql.ref(column)}) in
    (select value ->> 0, value ->> 1 from json_each(${pairs}))`;
}

/** Whether a query filters: undefined members do not. */
export function isFiltered(query: object): boolean {
  return Object.values(query).some((value) => value !== undefined);
}

/** A list of whole rows: its table, filters and order. */
export interface Listing<Table extends keyof Tables> {
  readonly table: Table;
  /**
   * Columns that must equal these values; undefined does not filter. A function is called within
   * the list's snapshot.
   */
  readonly equal: Equal<Table> | (() => Equal<Table>);
  /** The ascending column whose reverse is newest first. An update does not change `rowid`. */
  readonly newestFirstBy: 'rowid' | 'seq' | 'first_seq';
  /** An `order by` list, instead of newest first. */
  readonly orderBy?: RawBuilder<unknown> | undefined;
  /** Further conditions. Some repeat a partial index's text, so that SQLite's planner uses it. */
  readonly also?: readonly (RawBuilder<boolean> | undefined)[];
  /** Joined before the table: the parts of the table to search, in order. */
  readonly within?: RawBuilder<unknown> | undefined;
  /** A query for the stored number of rows; undefined counts them row by row. */
  readonly kept?: RawBuilder<{ total: number | null }> | undefined;
}

type PageOf<Table extends keyof Tables, Item> = PageRequest & {
  readonly itemOf: (row: Tables[Table]) => Item;
};

/** Sums the rows of a count table whose columns equal these values; undefined does not filter. */
export function keptTotal(
  table: 'notification_counts' | 'deposit_counts' | 'break_counts',
  equal: Readonly<Record<string, string | undefined>>,
  also?: RawBuilder<boolean>,
): RawBuilder<{ total: number | null }> {
  return sql`select sum(count) as total from ${sql.table(table)}
    where ${all([...equalities(equal), also])}`;
}

/** Runs several queries at one snapshot: the store's state when the first one runs. */
export function atSnapshot<Result>(
  db: Kysely<Tables>,
  read: (at: Kysely<Tables>) => Promise<Result>,
): Promise<Result> {
  return db.transaction().execute(read);
}

/** Reads one page of a list, with the number of rows on all pages. */
export function readPage<Table extends keyof Tables, Item>(
  db: Kysely<Tables>,
  listing: Listing<Table>,
  page: PageOf<Table, Item>,
): Promise<Page<Item>> {
  return atSnapshot(db, (at) => pageAt(at, listing, page));
}

/** `readPage` within the caller's snapshot. */
export async function pageAt<Table extends keyof Tables, Item>(
  at: Kysely<Tables>,
  listing: Listing<Table>,
  page: PageOf<Table, Item>,
): Promise<Page<Item>> {
  const { table, equal, newestFirstBy, orderBy, also = [], within } = listing;
  const conditions = [...equalities(typeof equal === 'function' ? equal() : equal), ...also];
  // SQLite counts a whole table much faster without any condition.
  const isWhole = conditions.every((one) => one === undefined);
  const where = isWhole ? sql`` : sql`where ${all(conditions)}`;
  const from =
    within === undefined ? sql.table(table) : sql`${within} cross join ${sql.table(table)}`;
  const count = sql<{ total: number }>`select count(*) as total from ${from} ${where}`;
  const counted = await (listing.kept ?? count).execute(at);
  const { rows } = await sql<Tables[Table]>`
    select ${sql.table(table)}.* from ${from} ${where}
    order by ${orderBy ?? sql`${sql.ref(newestFirstBy)} desc`}
    limit ${page.pageSize} offset ${page.page * page.pageSize}`.execute(at);
  return {
    items: rows.map((row) => page.itemOf(row)),
    total: counted.rows[0]?.total ?? 0,
    page: page.page,
    pageSize: page.pageSize,
  };
}

/** Most values in one `IN (…)`; SQLite allows 32,766 parameters per statement. */
const VALUES_MAX = 500;

/** Cuts values into batches of at most 500, one for each statement. */
export function inBatches<Value>(values: readonly Value[]): Value[][] {
  const batches: Value[][] = [];
  for (let from = 0; from < values.length; from += VALUES_MAX) {
    batches.push(values.slice(from, from + VALUES_MAX));
  }
  return batches;
}
