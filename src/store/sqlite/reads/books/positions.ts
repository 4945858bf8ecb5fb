import type { Kysely } from 'kysely';
import type { Balance } from '../../../answers.ts';
import type { BalanceQuery } from '../../../queries.ts';
import type { Tables } from '../../table/tables.ts';

/** A position without its balance. */
export type Position = Omit<Balance, 'amount' | 'pending'>;

/** Reads a position from its key columns, which hold '' for a missing part. */
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

/** A query for the matching positions, in the order of their unique index. */
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
