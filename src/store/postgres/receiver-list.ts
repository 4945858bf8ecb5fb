import type { JournalReceiver } from '../replicated/journal-state.ts';
import type { Session, Statement } from './connection/session.ts';
import { IS_LEASED } from './journal-statements.ts';

/** Most receivers that a look lists. */
const RECEIVERS_MAX = 50;
/** Rows of receivers that are no more stay in the table; the list leaves them out after so long. */
const SILENT_DAYS_MAX = 1;

/** SQL: milliseconds since a time. */
function msSince(time: string): string {
  return `greatest(0, floor(extract(epoch FROM clock_timestamp() - ${time}) * 1000))::bigint`;
}

/**
 * Every receiver that has reported, and the owner: a receiver that always owned the journal may
 * have no row of its own. The owner's position is the journal's.
 */
const RECEIVERS: Statement<JournalReceiver> = {
  name: 'receivers',
  text: `SELECT coalesce(owner, name) AS name,
      CASE WHEN owner IS NULL THEN 'follower' WHEN leased THEN 'owner' ELSE 'lapsed' END AS role,
      CASE WHEN owner IS NULL THEN ${msSince('seen_at')} WHEN NOT leased THEN ${msSince('until')} END AS "silentMs",
      CASE WHEN owner IS NULL THEN last_seq ELSE head END AS position
    FROM receivers FULL JOIN (
      SELECT owner, last_seq AS head, lease_until AS until, ${IS_LEASED} AS leased
      FROM ownership WHERE owner IS NOT NULL
    ) AS owners ON owner = name
    WHERE owner IS NOT NULL OR seen_at > clock_timestamp() - interval '${SILENT_DAYS_MAX} day'
    ORDER BY owner IS NULL, seen_at DESC, 1 LIMIT ${RECEIVERS_MAX}`,
};

/** The owner, then every receiver that reported lately, the newest report first. Throws `StatementFailed`. */
export async function receiversIn(session: Session): Promise<readonly JournalReceiver[]> {
  return (await session.call(RECEIVERS)).rows;
}
