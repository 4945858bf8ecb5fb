import type { JournalReceiver } from '../replicated/journal-state.ts';
import type { Session, Statement } from './connection/session.ts';
import { IS_LEASED } from './journal-statements.ts';

/** Most receivers that a look lists; rows of receivers that are no more stay in the table. */
const RECEIVERS_MAX = 50;

/**
 * Every receiver that has reported, and the owner: a receiver that has always owned the journal has
 * no row of its own. The owner's position is the journal's.
 */
const RECEIVERS: Statement<JournalReceiver> = {
  name: 'receivers',
  text: `SELECT coalesce(owner, name) AS name,
      CASE WHEN owner IS NULL THEN 'follower' WHEN leased THEN 'owner' ELSE 'lapsed' END AS role,
      CASE WHEN owner IS NULL OR NOT leased
        THEN floor(extract(epoch FROM clock_timestamp() - seen_at) * 1000)::bigint END
        AS "silentMs",
      CASE WHEN owner IS NULL THEN last_seq ELSE head END AS position
    FROM receivers FULL JOIN (
      SELECT owner, last_seq AS head, ${IS_LEASED} AS leased FROM ownership WHERE owner IS NOT NULL
    ) AS owners ON owner = name
    ORDER BY seen_at DESC NULLS FIRST, 1 LIMIT ${RECEIVERS_MAX}`,
};

/** Every receiver of the journal, the newest sign of life first. Throws `StatementFailed`. */
export async function receiversIn(session: Session): Promise<readonly JournalReceiver[]> {
  return (await session.call(RECEIVERS)).rows;
}
