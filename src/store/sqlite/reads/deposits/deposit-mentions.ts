import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { Deposit } from '../../../../domain/deposit/deposit.ts';
import type { Mentioned } from '../../../queries.ts';
import { type DepositRow, depositOf } from '../../table/rows/deposit-row.ts';
import type { Tables } from '../../table/tables.ts';
import { isAnyOf } from '../list.ts';

/**
 * Most deposits that one search reads, those of the newest hashes first: few of their columns have an
 * index. In the order of the table a scan takes 7 ms, by first facts 12.
 */
const READ_MAX = 10_000;

/** Columns that name a deposit to people. */
const MENTIONED = [
  'address_id',
  'account_id',
  'memo',
  'attributed_to',
  'transaction_id',
  'credit_reference',
] as const;

/** The newest deposits that satisfy a condition, at most `limit`: the scan ends there. */
async function newest(
  at: Kysely<Tables>,
  condition: RawBuilder<unknown>,
  limit: number,
): Promise<Deposit[]> {
  const { rows } = await sql<DepositRow>`select * from deposits
    where (hash_id, deposit_id) in (
      select hash_id, deposit_id from (
        select hash_id, deposit_id, ${condition} as is_found from deposits not indexed
        order by hash_id desc, deposit_id desc limit ${READ_MAX})
      where is_found limit ${limit})
    order by hash_id desc, deposit_id desc`.execute(at);
  return rows.map(depositOf);
}

/**
 * The newest deposits that a text names, then those of one of the amounts, at most `limit` of each:
 * many deposits of an amount hide no deposit whose memo is that number. Two scans, because one that
 * found both could not end early where most deposits have the amount.
 */
export async function depositsMentioning(
  at: Kysely<Tables>,
  { text, amounts }: Mentioned,
  limit: number,
): Promise<Deposit[]> {
  const columns = MENTIONED.map((column) => sql`${sql.ref(column)} = ${text}`);
  const isNamed = sql`(${sql.join(columns, sql.raw(' or '))})`;
  const named = await newest(at, isNamed, limit);
  const ofAmount = amounts.length > 0 ? await newest(at, isAnyOf('amount', amounts), limit) : [];
  const ids = new Set(named.map(({ depositId }) => depositId));
  return [...named, ...ofAmount.filter(({ depositId }) => !ids.has(depositId))];
}
