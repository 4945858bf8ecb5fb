import { sql, type Kysely, type RawBuilder } from 'kysely';
import { negated, plus, storedAmount, ZERO } from '../../../../domain/money/amount.ts';
import type { Withdrawal } from '../../../../domain/withdrawal/withdrawal.ts';
import type { PackedChange } from '../../../codec/change.ts';
import type { AssetAmount, WithdrawalQuery } from '../../../queries.ts';
import { type WithdrawalRow, withdrawalOf } from '../../table/rows/withdrawal-row.ts';
import type { Tables } from '../../table/tables.ts';

/** Most withdrawals that one search reads, the newest first: few of their columns have an index. */
const READ_MAX = 10_000;

/** Columns that name a withdrawal to people. */
const MENTIONED = ['order_id', 'destination_address', 'memo', 'address_id', 'account_id'] as const;

function mentions(text: string): RawBuilder<boolean> {
  const columns = MENTIONED.map((column) => sql`${sql.ref(column)} = ${text}`);
  return sql<boolean>`(${sql.join(columns, sql.raw(' or '))})`;
}

/** Columns of the newest withdrawals that satisfy a condition, newest first. */
function newestWithdrawals<Row = WithdrawalRow>(
  condition: RawBuilder<boolean>,
  columns: RawBuilder<unknown> = sql`*`,
): RawBuilder<Row> {
  const oldest = sql`(select rowid from withdrawals order by rowid desc limit 1 offset ${READ_MAX - 1})`;
  return sql<Row>`select ${columns} from withdrawals
    where rowid >= coalesce(${oldest}, 0) and ${condition} order by rowid desc`;
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

/** The text of an amount that lowers a balance, as a posted change has it. */
function movedText({ amount }: AssetAmount): string {
  return JSON.stringify(negated(amount).toString());
}

/** Whether a withdrawal has several changes beside a fee, by what stands between two of them. */
const HAS_SEVERAL = sql<boolean>`instr(
  iif(instr(posted, '"fee"') > 0, substr(posted, instr(posted, '],[') + 3), posted), '],[') > 0`;

/**
 * Leaves out nearly all withdrawals that did not move an amount, before they are read: those with a
 * single change beside a fee that is another amount. Several changes are summed afterwards. Reading
 * the JSON would take twice as long.
 */
function mayMove(amounts: readonly AssetAmount[]): RawBuilder<boolean> {
  // Most assets have the same decimals, so that an amount of each is one of few texts.
  const texts = new Set(amounts.map(movedText));
  const found = [...texts].map((text) => sql<boolean>`instr(posted, ${text}) > 0`);
  return sql<boolean>`(${sql.join([...found, HAS_SEVERAL], sql.raw(' or '))})`;
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
  const ids = rows
    .filter(({ posted }) => isMoved(JSON.parse(posted) as PackedChange[], query))
    .map((row) => row.transaction_id);
  if (ids.length === 0) return [];
  const found = await at
    .selectFrom('withdrawals')
    .where('transaction_id', 'in', ids)
    .selectAll()
    .orderBy(sql`rowid`, 'desc')
    .execute();
  return found.map(withdrawalOf);
}

/** The newest withdrawals that name a text. */
export async function readMentioning(
  at: Kysely<Tables>,
  text: string,
  limit: number,
): Promise<Withdrawal[]> {
  const { rows } =
    await sql<WithdrawalRow>`${newestWithdrawals(mentions(text))} limit ${limit}`.execute(at);
  return rows.map(withdrawalOf);
}
