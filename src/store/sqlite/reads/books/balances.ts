import { sql, type Kysely, type RawBuilder } from 'kysely';
import { plus, storedAmount, ZERO, type Amount } from '../../../../domain/money/amount.ts';
import type { Balance } from '../../../answers.ts';
import { pageWithin, type Page, type PageRequest } from '../../../page.ts';
import type { BalanceQuery } from '../../../queries.ts';
import type { Tables } from '../../table/tables.ts';
import { waitingDepositRows } from '../deposits/deposits.ts';
import { atSnapshot } from '../list.ts';
import { balancesUntil } from './past-balances.ts';
import { positionConditions, positionOf, type Position, type PositionRow } from './positions.ts';

const PARTS = ['vaultId', 'accountId', 'addressId', 'memo', 'asset'] as const;

/** Identifiers never hold a NUL, because the intake quarantines such a notification. */
function keyOf(position: Position): string {
  return PARTS.map((part) => position[part] ?? '').join('\u0000');
}

/** Whether a position matches the query; '' matches positions without that part. */
function isAsked(query: BalanceQuery, position: Position): boolean {
  return PARTS.every((part) => query[part] === undefined || query[part] === (position[part] ?? ''));
}

/** What is pending at a position. */
interface Pending {
  readonly position: PositionRow;
  readonly amount: Amount;
}

/** Sums the deposits in the mempool by the position at which they will post. */
async function pendingAt(at: Kysely<Tables>, query: BalanceQuery): Promise<Map<string, Pending>> {
  const pending = new Map<string, Pending>();
  if (query.view === 'chain') return pending;
  for (const row of await waitingDepositRows(at).where('state', '=', 'detected').execute()) {
    const position = {
      vault_id: row.vault_id,
      account_id: row.account_id ?? '',
      address_id: row.address_id ?? '',
      // A deposit with an unattributed memo posts to the address itself.
      memo: row.unattributed === 1 ? '' : (row.memo ?? ''),
      asset: row.asset,
    };
    if (!isAsked(query, positionOf(position))) continue;
    const key = keyOf(positionOf(position));
    const amount = plus(pending.get(key)?.amount ?? ZERO, storedAmount(row.amount));
    pending.set(key, { position, amount });
  }
  return pending;
}

/** Columns of a position, in the order of the list. */
const PARTS_OF_ROW = ['vault_id', 'account_id', 'address_id', 'memo', 'asset'] as const;
const KEY = sql.join(PARTS_OF_ROW.map((part) => sql.ref(part)));

/**
 * The positions with a balance, and those where a deposit is pending alone. A page of them is cut
 * out in SQL, because reading every position took most of the time of a page of the console.
 */
export function listedPositions(
  query: BalanceQuery,
  pending: readonly PositionRow[],
): RawBuilder<PositionRow & { readonly amount: string }> {
  const parts = PARTS_OF_ROW.map((part) => sql`value ->> ${sql.lit(part)} as ${sql.ref(part)}`);
  const isSame = PARTS_OF_ROW.map((part) => sql`a.${sql.ref(part)} = p.${sql.ref(part)}`);
  return sql`select ${KEY}, amount from ledger_accounts as a cross join balances using (ledger_account)
      where ${positionConditions(query)} and amount <> '0'
    union all
    select p.*, '0' from (
      select ${sql.join(parts)} from json_each(${JSON.stringify(pending)})
    ) as p
    where not exists (
      select 1 from ledger_accounts as a cross join balances using (ledger_account)
      where ${sql.join(isSame, sql.raw(' and '))} and a.view = ${query.view} and a.kind = 'position'
        and amount <> '0'
    )`;
}

function currentBalances(
  db: Kysely<Tables>,
  query: BalanceQuery,
  page: PageRequest,
): Promise<Page<Balance>> {
  return atSnapshot(db, async (at) => {
    const pending = await pendingAt(at, query);
    const listed = listedPositions(
      query,
      [...pending.values()].map(({ position }) => position),
    );
    const counted = await sql<{ total: number }>`select count(*) as total from (${listed})`.execute(
      at,
    );
    const { rows } = await sql<PositionRow & { readonly amount: string }>`${listed}
      order by ${KEY} limit ${page.pageSize} offset ${page.page * page.pageSize}`.execute(at);
    const items = rows.map((row) => {
      const position = positionOf(row);
      const expected = pending.get(keyOf(position))?.amount ?? ZERO;
      return { ...position, amount: storedAmount(row.amount), pending: expected };
    });
    return { ...page, items, total: counted.rows[0]?.total ?? 0 };
  });
}

/** One page of the balances of a view by position, summed as bigint because SQLite's integers are too small. */
export async function readBalances(
  db: Kysely<Tables>,
  query: BalanceQuery,
  page: PageRequest,
): Promise<Page<Balance>> {
  const { asOf } = query;
  return asOf === undefined
    ? currentBalances(db, query, page)
    : pageWithin(await balancesUntil(db, { ...query, asOf }), page);
}
