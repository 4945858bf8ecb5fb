import type { Kysely } from 'kysely';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Balance, BalanceQuery } from '../../reads.ts';
import type { Tables } from '../tables.ts';

/** Rows taken between two turns of the event loop: other reads of this thread go on. */
const ROWS_PER_TURN = 2_000;

export type Position = Omit<Balance, 'amount' | 'pending'>;

/** Key columns hold '' where a position has no such part. */
export function positionOf(
  row: Pick<Tables['ledger_accounts'], 'vault_id' | 'account_id' | 'address_id' | 'memo' | 'asset'>,
): Position {
  return {
    vaultId: row.vault_id,
    accountId: row.account_id || null,
    addressId: row.address_id || null,
    memo: row.memo || null,
    asset: row.asset,
  };
}

/** The positions asked for, ordered as the unique index of their table is. */
export function positionRows(db: Kysely<Tables>, query: BalanceQuery) {
  const { view, vaultId, accountId, addressId, memo, asset } = query;
  return db
    .selectFrom('ledger_accounts')
    .where('ledger_accounts.view', '=', view)
    .where('ledger_accounts.kind', '=', 'position')
    .$if(vaultId !== undefined, (where) => where.where('vault_id', '=', vaultId ?? ''))
    .$if(accountId !== undefined, (where) => where.where('account_id', '=', accountId ?? ''))
    .$if(addressId !== undefined, (where) => where.where('address_id', '=', addressId ?? ''))
    .$if(memo !== undefined, (where) => where.where('memo', '=', memo ?? ''))
    .$if(asset !== undefined, (where) => where.where('asset', '=', asset ?? ''))
    .select(['vault_id', 'account_id', 'address_id', 'memo', 'asset'])
    .orderBy('vault_id')
    .orderBy('account_id')
    .orderBy('address_id')
    .orderBy('memo')
    .orderBy('asset');
}

/** Hands rows on one by one, and lets the event loop turn in between. */
export async function eachRow<Row>(
  rows: AsyncIterable<Row>,
  take: (row: Row) => void,
): Promise<void> {
  let taken = 0;
  for await (const row of rows) {
    take(row);
    taken += 1;
    if (taken % ROWS_PER_TURN === 0) await nextTurn();
  }
}
