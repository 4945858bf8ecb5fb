import { sql, type Kysely, type RawBuilder } from 'kysely';
import { plus, storedAmount, ZERO, type Amount } from '../../../../domain/money/amount.ts';
import type { Balance } from '../../../answers.ts';
import { pageWithin, type Page, type PageRequest } from '../../../page.ts';
import type { BalanceQuery } from '../../../queries.ts';
import type { Tables } from '../../table/tables.ts';
import { changeableDepositRows } from '../deposits/deposits.ts';
import { atSnapshot } from '../list.ts';
import { balancesUntil } from './past-balances.ts';
import {
  POSITION_COLUMNS,
  POSITION_KEY,
  positionConditions,
  positionOf,
  type PositionRow,
} from './positions.ts';

/** Identifiers never hold a NUL, because the intake quarantines such a notification. */
function keyOf(position: PositionRow): string {
  return POSITION_COLUMNS.map((column) => position[column]).join('\u0000');
}

/** Whether a position matches the query; '' matches positions without that part. */
function isAsked({ vaultId, accountId, addressId, memo, asset }: BalanceQuery, row: PositionRow) {
  const asked = [vaultId, accountId, addressId, memo, asset];
  return POSITION_COLUMNS.every((column, at) => (asked[at] ?? row[column]) === row[column]);
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
  for (const row of await changeableDepositRows(at).where('state', '=', 'detected').execute()) {
    const position = {
      vault_id: row.vault_id,
      account_id: row.account_id ?? '',
      address_id: row.address_id ?? '',
      // A deposit with an unattributed memo posts to the address itself.
      memo: row.unattributed === 1 ? '' : (row.memo ?? ''),
      asset: row.asset,
    };
    if (!isAsked(query, position)) continue;
    const key = keyOf(position);
    const amount = plus(pending.get(key)?.amount ?? ZERO, storedAmount(row.amount));
    pending.set(key, { position, amount });
  }
  return pending;
}

/**
 * The positions with a balance, and those where a deposit is pending alone. A page of them is cut
 * out in SQL, because reading every position took most of the time of a page of the console.
 */
function listedPositions(
  query: BalanceQuery,
  pending: readonly PositionRow[],
): RawBuilder<PositionRow & { readonly amount: string }> {
  const parts = POSITION_COLUMNS.map((one) => sql`value ->> ${sql.lit(one)} as ${sql.ref(one)}`);
  const isSame = POSITION_COLUMNS.map((one) => sql`a.${sql.ref(one)} = p.${sql.ref(one)}`);
  return sql`select ${POSITION_KEY}, amount from ledger_accounts as a cross join balances using (ledger_account)
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
      order by ${POSITION_KEY} limit ${page.pageSize} offset ${page.page * page.pageSize}`.execute(
      at,
    );
    const items = rows.map((row) => {
      const detected = pending.get(keyOf(row))?.amount ?? ZERO;
      return { ...positionOf(row), amount: storedAmount(row.amount), pending: detected };
    });
    return { ...page, items, total: counted.rows[0]?.total ?? 0 };
  });
}

/** One page of the balances of a view, by position. */
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
