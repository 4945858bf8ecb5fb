import { sql, type Kysely } from 'kysely';
import type { Deposit } from '../../../../domain/deposit/deposit.ts';
import type { Mentioned } from '../../../queries.ts';
import type { DepositRow } from '../../table/rows/deposit-row.ts';
import { depositOf } from '../../table/rows/deposit-row.ts';
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

/** A deposit by its key. */
interface Found extends Pick<DepositRow, 'hash_id' | 'deposit_id'> {
  /** 1 where the text names it, 0 where it has only the amount. */
  readonly named: number;
}

/** Deposits by their keys, in that order. */
async function depositsOf(at: Kysely<Tables>, found: readonly Found[]): Promise<Deposit[]> {
  if (found.length === 0) return [];
  const keys = found.map((one) => sql`(${one.hash_id}, ${one.deposit_id})`);
  const { rows } = await sql<DepositRow>`select * from deposits
    where (hash_id, deposit_id) in (values ${sql.join(keys)})`.execute(at);
  const byId = new Map(rows.map((row) => [row.deposit_id, row]));
  return found
    .map((one) => byId.get(one.deposit_id))
    .filter((row) => row !== undefined)
    .map(depositOf);
}

/**
 * The newest deposits that a text names, then those of one of the amounts, at most `limit` of each:
 * many deposits of an amount hide no deposit whose memo is that number. A single scan finds both.
 */
export async function depositsMentioning(
  at: Kysely<Tables>,
  { text, amounts }: Mentioned,
  limit: number,
): Promise<Deposit[]> {
  const columns = MENTIONED.map((column) => sql`${sql.ref(column)} = ${text}`);
  const isNamed = sql`(${sql.join(columns, sql.raw(' or '))})`;
  const { rows } = await sql<Found>`select * from (
      select hash_id, deposit_id,
        iif(${isNamed}, 1, iif(${isAnyOf('amount', amounts)}, 0, null)) as named
      from deposits not indexed
      order by hash_id desc, deposit_id desc limit ${READ_MAX})
    where named is not null`.execute(at);
  const named = rows.filter((one) => one.named === 1).slice(0, limit);
  const ofAmount = rows.filter((one) => one.named === 0).slice(0, limit);
  return depositsOf(at, [...named, ...ofAmount]);
}
