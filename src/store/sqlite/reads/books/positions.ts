import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { BalanceQuery } from '../../../queries.ts';
import type { Position } from '../../../statement.ts';
import type { Tables } from '../../table/tables.ts';
import { all, equalities } from '../list.ts';

/** A position's columns, which hold '' for a missing part. */
export type PositionRow = Pick<
  Tables['ledger_accounts'],
  'vault_id' | 'account_id' | 'address_id' | 'memo' | 'asset'
>;

/** A position's columns, in the order of its lists. */
export const POSITION_COLUMNS = ['vault_id', 'account_id', 'address_id', 'memo', 'asset'] as const;

/** The same as a list of SQL. */
export const POSITION_KEY = sql.join(POSITION_COLUMNS.map((column) => sql.ref(column)));

/** Reads a position from its columns. */
export function positionOf(row: PositionRow): Position {
  return {
    vaultId: row.vault_id,
    accountId: row.account_id || null,
    addressId: row.address_id || null,
    memo: row.memo || null,
    asset: row.asset,
  };
}

/** The ledger accounts that are positions and match the query. */
export function positionConditions(query: BalanceQuery): RawBuilder<boolean> {
  const { view, vaultId, accountId, addressId, memo, asset } = query;
  return all(
    equalities({
      view,
      kind: 'position',
      vault_id: vaultId,
      account_id: accountId,
      address_id: addressId,
      memo,
      asset,
    }),
  );
}

/** A query for the matching positions, in the order of their lists. */
export function positionRows(db: Kysely<Tables>, query: BalanceQuery) {
  return db
    .selectFrom('ledger_accounts')
    .where(positionConditions(query))
    .select(POSITION_COLUMNS)
    .orderBy(POSITION_KEY);
}
