import { sql, type Kysely } from 'kysely';
import type { Withdrawal } from '../../../domain/withdrawal/withdrawal.ts';
import type { Page, PageRequest } from '../../page.ts';
import type { WithdrawalQuery } from '../../queries.ts';
import type { KeyLookup } from '../keys/key-lookup.ts';
import { withdrawalOf } from '../table/row.ts';
import type { Tables } from '../table/tables.ts';
import { readPage } from './list.ts';

/** Repeats the condition of the index `withdrawals_unconfirmed`: SQLite's planner compares text. */
const UNCONFIRMED = sql<boolean>`custody <> 'known'`;

/** An unknown withdrawal counts only until its difference is resolved. */
const OPEN = sql<boolean>`(custody <> 'unknown' OR transaction_id IN (
  SELECT transaction_id FROM breaks
  WHERE state <> 'resolved' AND type = 'unknown_to_custody'
  UNION SELECT transaction_id FROM exempt_differences WHERE type = 'unknown_to_custody'))`;

/**
 * Withdrawals that the custody API has not confirmed: doubted, then unasked, then unknown ones, so
 * that the unknown ones starve no other. Oldest first within each group.
 */
export async function readWaitingWithdrawals(
  db: Kysely<Tables>,
  limit: number,
): Promise<readonly Withdrawal[]> {
  const rows = await db
    .selectFrom('withdrawals')
    .where(UNCONFIRMED)
    .where(OPEN)
    .selectAll()
    .orderBy('custody')
    .orderBy('first_seen_at')
    .limit(limit)
    .execute();
  return rows.map(withdrawalOf);
}

/** One page of withdrawals, newest first. */
export function readWithdrawals(
  db: Kysely<Tables>,
  query: WithdrawalQuery,
  page: PageRequest & { readonly keys: KeyLookup },
): Promise<Page<Withdrawal>> {
  const { transactionId, status, vaultId, blockchainHash, custody } = query;
  const listing = {
    table: 'withdrawals',
    equal: () => ({
      transaction_id: transactionId,
      status,
      custody,
      vault_id: vaultId,
      hash_id: page.keys.filterOf(blockchainHash),
    }),
    newestFirstBy: 'rowid',
    also: custody === undefined || custody === 'known' ? undefined : UNCONFIRMED,
  } as const;
  return readPage(db, listing, { ...page, itemOf: withdrawalOf });
}
