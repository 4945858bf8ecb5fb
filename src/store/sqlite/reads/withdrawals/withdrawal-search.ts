import { sql, type Kysely, type RawBuilder } from 'kysely';
import { negated, plus, ZERO } from '../../../../domain/money/amount.ts';
import type { Withdrawal } from '../../../../domain/withdrawal/withdrawal.ts';
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

/** Withdrawals among the newest that satisfy a condition, newest first. */
function newestWithdrawals(condition: RawBuilder<boolean>): RawBuilder<WithdrawalRow> {
  return sql<WithdrawalRow>`select * from (
      select * from withdrawals order by rowid desc limit ${READ_MAX}
    ) where ${condition}`;
}

/** What a withdrawal moved of an asset, fees left out; it lowers the balance, so it is negative. */
function movedOf({ posted }: Withdrawal, asset: string): bigint {
  return posted
    .filter((line) => line.asset === asset && line.kind !== 'fee')
    .reduce((sum, { amount }) => plus(sum, amount), ZERO);
}

function movesAny(withdrawal: Withdrawal, amounts: readonly AssetAmount[]): boolean {
  const assets = new Set<string>(withdrawal.posted.map(({ asset }) => asset));
  return amounts.some(
    ({ asset, amount }) => assets.has(asset) && movedOf(withdrawal, asset) === negated(amount),
  );
}

/** Whether a withdrawal moved the asset and one of the amounts of a query. */
function isMoved(withdrawal: Withdrawal, { asset, amounts }: WithdrawalQuery): boolean {
  const movesAsset = asset === undefined || withdrawal.posted.some((line) => line.asset === asset);
  return movesAsset && (amounts === undefined || movesAny(withdrawal, amounts));
}

/**
 * Withdrawals among the newest that satisfy a condition and moved what a query asks for. Amounts are
 * summed here, because SQLite's integers are too small for them.
 */
export async function readMoved(
  at: Kysely<Tables>,
  condition: RawBuilder<boolean>,
  query: Pick<WithdrawalQuery, 'asset' | 'amounts'>,
): Promise<Withdrawal[]> {
  const posted = sql<boolean>`${condition} and posted <> '[]'`;
  const { rows } = await newestWithdrawals(posted).execute(at);
  return rows.map(withdrawalOf).filter((one) => isMoved(one, query));
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
