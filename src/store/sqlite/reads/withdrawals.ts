import { sql, type Kysely } from 'kysely';
import type { Withdrawal } from '../../../domain/withdrawal.ts';
import { withdrawalOf } from '../row.ts';
import type { Tables } from '../tables.ts';

/** Word for word the condition of the index `withdrawals_unconfirmed`: the planner compares text. */
const UNCONFIRMED = sql<boolean>`custody <> 'known'`;

/** What the API did not know is asked for until a person has resolved that. */
const OPEN = sql<boolean>`(custody <> 'unknown' OR transaction_id IN (
  SELECT transaction_id FROM breaks
  WHERE state <> 'resolved' AND type = 'unknown_to_custody'
  UNION SELECT transaction_id FROM exempt_differences WHERE type = 'unknown_to_custody'))`;

/** What was never asked about goes first, so that what the API does not know starves nothing. */
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
