import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { DepositState } from '../../../../domain/deposit/deposit.ts';
import type { DepositsFound } from '../../../answers.ts';
import type { DepositPageRequest, DepositSearch } from '../../../queries.ts';
import type { JournalReader } from '../../journal/journal-reader.ts';
import type { KeyLookup } from '../../keys/key-lookup.ts';
import { type DepositRow, depositOf } from '../../table/rows/deposit-row.ts';
import type { Tables } from '../../table/tables.ts';
import { all, atSnapshot, isFiltered, keptTotal } from '../list.ts';
import { atNetworkAddress } from './at-network-address.ts';
import { filtersOf } from './deposit-filters.ts';
import {
  depositRow,
  DONE,
  UNACKNOWLEDGED as IS_UNACKNOWLEDGED,
  CHANGEABLE as IS_CHANGEABLE,
} from './deposits.ts';

/**
 * Most deposits that one page reads. Few filters have an index, because an index costs every
 * commit. So a page reads the newest deposits until it is full, or so many: some 30 ms.
 */
const READ_MAX = 10_000;
/** The same through an index of a state: each of its deposits is on another page of the file. */
const READ_BY_STATE_MAX = 2_000;

/** Notifications of a commit may be older than the commit's first by this much, milliseconds. */
const DISORDER_MS = 60_000;

/** Where a page's deposits are read, and in which order. */
export interface Source {
  /** The index, and the condition that it repeats. */
  readonly index: string;
  readonly condition?: RawBuilder<boolean>;
  /** By first fact, or by hash: hashes are numbered by their first fact. */
  readonly order: 'fact' | 'hash';
  /** Null: the condition bounds what is read. */
  readonly readMax: number | null;
  /** The last hash of a look-up that reached its limit: there may be more hashes. */
  readonly lastHash?: number | undefined;
}

/** All deposits, by their first facts. */
export const NEWEST: Source = { index: 'deposits_by_seq', order: 'fact', readMax: READ_MAX };

/** The deposits of a state that may still change. */
export const CHANGEABLE: Source = {
  index: 'deposits_waiting',
  condition: IS_CHANGEABLE,
  order: 'hash',
  readMax: READ_BY_STATE_MAX,
};

/** Deposits whose credits no consumer has acknowledged. */
export const UNACKNOWLEDGED: Source = {
  index: 'deposits_unacknowledged',
  condition: IS_UNACKNOWLEDGED,
  order: 'hash',
  readMax: null,
};

/** The deposits of a hash, by its numbers. */
export function ofHashes(hashIds: readonly number[]): Source {
  return {
    index: 'sqlite_autoindex_deposits_1',
    condition: sql<boolean>`hash_id in (select value from json_each(${JSON.stringify(hashIds)}))`,
    order: 'hash',
    readMax: null,
  };
}

/** The deposits at an on-chain address, by the numbers of their hashes: at most `READ_BY_STATE_MAX`. */
export function atAddress(networkAddress: string, hashIds: readonly number[]): Source {
  const { index, condition, order } = ofHashes(hashIds);
  const isThere = atNetworkAddress(networkAddress);
  return {
    index,
    condition: condition === undefined ? isThere : sql<boolean>`${condition} and ${isThere}`,
    order,
    readMax: READ_BY_STATE_MAX,
    lastHash: hashIds.length < READ_BY_STATE_MAX ? undefined : hashIds.at(-1),
  };
}

/** A deposit's position in the list: the list's order never changes. */
type Position = Pick<DepositRow, 'first_seq' | 'hash_id' | 'deposit_id'>;

/** A position as a scan's index has it: a scan by hash has no first fact. */
type IndexPosition = Omit<Position, 'first_seq'> & Partial<Position>;

/** A query of deposits within bounds, on one side of a position. */
interface DepositScan {
  readonly search: DepositSearch;
  readonly source: Source;
  readonly from: Position | undefined;
  /** The last deposit that it may read; undefined where fewer than `readMax` remain. */
  readonly until: IndexPosition | undefined;
  readonly side: 'older' | 'newer';
  /** Journal positions between which the deposits were first seen: exclusive, inclusive. */
  readonly between: { readonly after: number | undefined; readonly before: number | undefined };
  readonly limit: number;
}

const COLUMNS = {
  fact: ['first_seq', 'hash_id', 'deposit_id'],
  hash: ['hash_id', 'deposit_id'],
} as const;

/** Compares a deposit's position in the scan's order with another position. */
function isBeside(
  { order }: Source,
  sign: '<' | '>' | '<=' | '>=',
  other: IndexPosition | undefined,
): RawBuilder<boolean> | undefined {
  if (other === undefined) return undefined;
  const columns = COLUMNS[order].map((one) => sql.ref(one));
  const values = COLUMNS[order].map((one) => sql.val(other[one]));
  return sql<boolean>`(${sql.join(columns)}) ${sql.raw(sign)} (${sql.join(values)})`;
}

/** Where the scan begins and ends in its index. */
function boundsOf({
  search,
  source,
  from,
  until,
  side,
  between,
}: DepositScan): RawBuilder<boolean> {
  const isOlder = side === 'older';
  const isByFact = source.order === 'fact';
  // `until` lies within the times. With two bounds at one end, SQLite may read to the farther one.
  const isEnded = until !== undefined;
  const after = isByFact && !(isOlder && isEnded) ? between.after : undefined;
  const before = isByFact && (isOlder || !isEnded) ? between.before : undefined;
  return all([
    source.condition,
    source === CHANGEABLE ? sql<boolean>`state = ${search.state}` : undefined,
    isBeside(source, isOlder ? '<' : '>', from),
    isBeside(source, isOlder ? '>=' : '<=', until),
    after === undefined ? undefined : sql<boolean>`first_seq > ${after}`,
    before === undefined ? undefined : sql<boolean>`first_seq <= ${before}`,
  ]);
}

function orderOf({ source, side }: DepositScan): RawBuilder<unknown> {
  const way = sql.raw(side === 'older' ? 'desc' : 'asc');
  return sql.join(COLUMNS[source.order].map((column) => sql`${sql.ref(column)} ${way}`));
}

/** The query of one page. */
export function depositScan(scan: DepositScan): RawBuilder<DepositRow> {
  const { search, source, limit } = scan;
  return sql<DepositRow>`select * from deposits indexed by ${sql.raw(source.index)}
    where ${boundsOf(scan)} and ${filtersOf(search)} order by ${orderOf(scan)} limit ${limit}`;
}

/** The last deposit that a full scan reads; no row when the scan reaches the end. */
export function lastOfScan(scan: DepositScan, readMax: number): RawBuilder<IndexPosition> {
  const columns = COLUMNS[scan.source.order].map((one) => sql.ref(one));
  return sql<IndexPosition>`select ${sql.join(columns)}
    from deposits indexed by ${sql.raw(scan.source.index)}
    where ${boundsOf(scan)} order by ${orderOf(scan)} limit 1 offset ${readMax - 1}`;
}

/** The last deposit of a hash in the scan's order, whatever its address. */
async function lastOfHash(
  at: Kysely<Tables>,
  hashId: number,
  side: DepositScan['side'],
): Promise<IndexPosition | undefined> {
  return at
    .selectFrom('deposits')
    .where('hash_id', '=', hashId)
    .select(['hash_id', 'deposit_id'])
    .orderBy('deposit_id', side === 'older' ? 'asc' : 'desc')
    .limit(1)
    .executeTakeFirst();
}

async function countOf(at: Kysely<Tables>, state: DepositState | undefined): Promise<number> {
  const { rows } = await keptTotal('deposit_counts', { state }).execute(at);
  return rows[0]?.total ?? 0;
}

async function firstSeenAt(
  at: Kysely<Tables>,
  { hash_id, deposit_id }: IndexPosition,
): Promise<number> {
  const row = await at
    .selectFrom('deposits')
    .where('hash_id', '=', hash_id)
    .where('deposit_id', '=', deposit_id)
    .select('first_seen_at')
    .executeTakeFirst();
  return row?.first_seen_at ?? 0;
}

/** What a page searches for, and where it begins. */
interface ScanStart {
  readonly search: DepositSearch;
  readonly keys: KeyLookup;
  readonly from: Position | undefined;
  readonly side: DepositScan['side'];
}

async function sourceOf(
  at: Kysely<Tables>,
  { search, keys, from, side }: ScanStart,
): Promise<Source> {
  const { state, blockchainHash, networkAddress } = search;
  if (blockchainHash !== undefined) return ofHashes(keys.hashIds(blockchainHash));
  if (networkAddress !== undefined) {
    const beside = { from: from?.hash_id ?? null, side, limit: READ_BY_STATE_MAX };
    return atAddress(networkAddress, keys.atAddress(networkAddress, beside));
  }
  if (state === undefined) return NEWEST;
  if (!DONE.includes(state)) return CHANGEABLE;
  const isFew = state === 'credited' && (await countOf(at, state)) <= READ_BY_STATE_MAX;
  return isFew ? UNACKNOWLEDGED : NEWEST;
}

/** What finds deposits and facts by their ids and moments. */
export interface Sources {
  readonly keys: KeyLookup;
  readonly journal: JournalReader;
}

interface PageOfDeposits {
  readonly search: DepositSearch;
  readonly page: DepositPageRequest;
}

async function scanFor(
  at: Kysely<Tables>,
  { search, page }: PageOfDeposits,
  { keys, journal }: Sources,
): Promise<DepositScan> {
  const { firstSeenFrom, firstSeenBefore } = search;
  const seqAt = (moment: number | undefined): number | undefined =>
    moment === undefined ? undefined : journal.seqBefore(moment);
  const from = page.cursor === null ? undefined : await depositRow(at, page.cursor.depositId, keys);
  const side = page.cursor?.side ?? 'older';
  const scan = {
    search,
    source: await sourceOf(at, { search, keys, from, side }),
    from,
    until: undefined,
    side,
    between: {
      after: seqAt(firstSeenFrom && firstSeenFrom - DISORDER_MS),
      before: seqAt(firstSeenBefore && firstSeenBefore + DISORDER_MS),
    },
    limit: page.pageSize + 1,
  };
  const { readMax, lastHash } = scan.source;
  if (readMax === null) return scan;
  const { rows } = await lastOfScan(scan, readMax).execute(at);
  const [last] = rows;
  if (last !== undefined || lastHash === undefined) return { ...scan, until: last };
  return { ...scan, until: await lastOfHash(at, lastHash, side) };
}

/** The stored number of deposits, where only the state filters. */
function totalOf(at: Kysely<Tables>, { state, ...others }: DepositSearch): Promise<number | null> {
  return isFiltered(others) ? Promise.resolve(null) : countOf(at, state);
}

/** A page of found deposits (`Reads.findDeposits`). */
export function readFoundDeposits(
  db: Kysely<Tables>,
  query: PageOfDeposits,
  sources: Sources,
): Promise<DepositsFound> {
  return atSnapshot(db, async (at) => {
    const { search, page } = query;
    const scan = await scanFor(at, query, sources);
    const { rows } = await depositScan(scan).execute(at);
    const items = rows.slice(0, page.pageSize).map(depositOf);
    const isMore = rows.length > page.pageSize;
    const end = isMore ? undefined : scan.until;
    const beyond = isMore ? (items.at(-1)?.depositId ?? null) : (end?.deposit_id ?? null);
    const back = scan.from === undefined ? null : (items[0]?.depositId ?? scan.from.deposit_id);
    const searchedTo = end === undefined ? null : await firstSeenAt(at, end);
    const total = await totalOf(at, search);
    return scan.side === 'older'
      ? { items, older: beyond, newer: back, searchedTo, total }
      : { items: items.toReversed(), older: back, newer: beyond, searchedTo, total };
  });
}
