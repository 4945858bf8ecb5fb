import { sql, type Kysely } from 'kysely';
import type { Withdrawal } from '../../../domain/withdrawal/withdrawal.ts';
import { withdrawalOf } from '../table/row.ts';
import type { Tables } from '../table/tables.ts';

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
