import { sql, type Kysely, type RawBuilder } from 'kysely';
import { negated, plus, storedAmount, ZERO } from '../../../../domain/money/amount.ts';
import type { Withdrawal } from '../../../../domain/withdrawal/withdrawal.ts';
import type { PackedChange } from '../../../codec/change.ts';
import {
  WITHDRAWALS_SEARCHED_MAX,
  type AssetAmount,
  type Mentioned,
  type WithdrawalQuery,
} from '../../../queries.ts';
import { type WithdrawalRow, withdrawalOf } from '../../table/rows/withdrawal-row.ts';
import type { Tables } from '../../table/tables.ts';

/** Columns that name a withdrawal to people. */
const MENTIONED = ['order_id', 'destination_address', 'memo', 'address_id', 'account_id'] as const;

function mentions(text: string): RawBuilder<boolean> {
  const columns = MENTIONED.map((column) => sql`${sql.ref(column)} = ${text}`);
  return sql<boolean>`(${sql.join(columns, sql.raw(' or '))})`;
}

/** Columns of the newest withdrawals that satisfy a condition, newest first. */
function newestWithdrawals<Row>(
  condition: RawBuilder<boolean>,
  columns: RawBuilder<unknown>,
): RawBuilder<Row> {
  // Few columns have an index. No withdrawal is ever deleted, so their row numbers have no gaps.
  const before = sql`(select max(rowid) from withdrawals) - ${WITHDRAWALS_SEARCHED_MAX}`;
  return sql<Row>`select ${columns} from withdrawals
    where rowid > ${before} and ${condition} order by rowid desc`;
}

/** What a withdrawal moved of an asset, fees left out; it lowers the balance, so it is negative. */
function movedOf(posted: readonly PackedChange[], asset: string): bigint {
  return posted
    .filter(([of, , kind]) => of === asset && kind !== 'fee')
    .reduce((sum, [, amount]) => plus(sum, storedAmount(amount)), ZERO);
}

function movesAny(posted: readonly PackedChange[], amounts: readonly AssetAmount[]): boolean {
  const assets = new Set(posted.map(([asset]) => asset));
  return amounts.some(
    ({ asset, amount }) => assets.has(asset) && movedOf(posted, asset) === negated(amount),
  );
}

/** Whether a withdrawal moved the asset and one of the amounts of a query. */
function isMoved(posted: readonly PackedChange[], { asset, amounts }: WithdrawalQuery): boolean {
  const movesAsset = asset === undefined || posted.some(([of]) => of === asset);
  return movesAsset && (amounts === undefined || movesAny(posted, amounts));
}

/** What a posted change of this amount looks like: it lowers the balance. */
function movedPattern({ amount }: AssetAmount): string {
  return `%${JSON.stringify(negated(amount).toString())}%`;
}

/**
 * Whether a withdrawal has several changes beside a fee, by what stands between two of them. A
 * fee's kind stands before an account; a memo that reads like it stands before the decimals.
 */
const HAS_SEVERAL = sql<boolean>`(posted like '%],[%],[%' or (posted like '%],[%'
  and posted not like '%"fee","%' and posted not like '%"fee",null,%'))`;

/**
 * Leaves out nearly all withdrawals that did not move an amount, before they are read: those with a
 * single change beside a fee that is another amount. Several changes are summed afterwards. With
 * `instr` this takes 1.7 times as long, and reading the JSON takes longer still.
 */
function mayMove(amounts: readonly AssetAmount[]): RawBuilder<boolean> {
  // Most assets have the same decimals, so that an amount of each is one of few texts.
  const patterns = new Set(amounts.map(movedPattern));
  const found = [...patterns].map((pattern) => sql<boolean>`posted like ${pattern}`);
  return sql<boolean>`(${sql.join([...found, HAS_SEVERAL], sql.raw(' or '))})`;
}

/** Withdrawals by their ids, newest first. */
async function withdrawalsOf(at: Kysely<Tables>, ids: readonly string[]): Promise<Withdrawal[]> {
  if (ids.length === 0) return [];
  const rows = await at
    .selectFrom('withdrawals')
    .where('transaction_id', 'in', ids)
    .selectAll()
    .orderBy(sql`rowid`, 'desc')
    .execute();
  return rows.map(withdrawalOf);
}

/**
 * Withdrawals among the newest that satisfy a condition and moved what a query asks for. Amounts are
 * summed here, because SQLite's integers are too small for them. Most withdrawals do not match, so
 * only what each posted is read first.
 */
export async function readMoved(
  at: Kysely<Tables>,
  condition: RawBuilder<boolean>,
  query: Pick<WithdrawalQuery, 'asset' | 'amounts'>,
): Promise<Withdrawal[]> {
  type Posted = Pick<WithdrawalRow, 'transaction_id' | 'posted'>;
  const { rows } = await newestWithdrawals<Posted>(
    sql<boolean>`${condition} and posted <> '[]'
      and ${query.amounts === undefined ? sql<boolean>`1 = 1` : mayMove(query.amounts)}`,
    sql`transaction_id, posted`,
  ).execute(at);
  const moved = rows.filter(({ posted }) => isMoved(JSON.parse(posted) as PackedChange[], query));
  return withdrawalsOf(
    at,
    moved.map((row) => row.transaction_id),
  );
}

/**
 * The newest withdrawals that name a text, then those that moved one of the amounts. A single scan
 * finds both.
 */
export async function withdrawalsMentioning(
  at: Kysely<Tables>,
  { text, amounts }: Mentioned,
  limit: number,
): Promise<Withdrawal[]> {
  interface Found {
    readonly transaction_id: string;
    /** Null for a withdrawal that names the text. */
    readonly posted: string | null;
  }
  const named = mentions(text);
  const condition = amounts.length === 0 ? named : sql<boolean>`(${named} or ${mayMove(amounts)})`;
  const { rows } = await newestWithdrawals<Found>(
    condition,
    sql`transaction_id, iif(${named}, null, posted) as posted`,
  ).execute(at);
  const moves = ({ posted }: Found): boolean =>
    posted !== null && movesAny(JSON.parse(posted) as PackedChange[], amounts);
  const idsOf = (found: readonly Found[]): string[] => found.map((row) => row.transaction_id);
  const naming = rows.filter(({ posted }) => posted === null).slice(0, limit);
  const moving = rows.filter(moves).slice(0, limit - naming.length);
  return [...(await withdrawalsOf(at, idsOf(naming))), ...(await withdrawalsOf(at, idsOf(moving)))];
}
