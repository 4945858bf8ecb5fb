import type { JournalState } from '../replicated/journal-state.ts';
import type { Session, Statement } from './connection/session.ts';
import { IS_LEASED } from './journal-statements.ts';
import { receiversIn } from './receiver-list.ts';

interface StateRow {
  readonly nowMs: number;
  readonly isConfigured: boolean;
  readonly followers: number;
  readonly visible: number;
  readonly synchronous: number;
  readonly lagBytes: number | null;
  readonly leaseLeftMs: number | null;
  readonly namesakeUrl: string | null;
}

/** The receiver that asks for the state of the journal. */
export interface AskingReceiver {
  readonly name: string;
  readonly url: string;
  readonly process: string;
  /** Since when the process uses the journal, in seconds. */
  readonly openSeconds: number;
}

/**
 * $1 name, $2 process and $3 URL of the receiver; $4 seconds since it opened the journal. `state` is
 * NULL for a role that may not see it. A process that still lives has reported, or was the owner,
 * within the last seconds. A process with the same URL may be the receiver's former one: that one has
 * reported nothing since the receiver opened the journal. An owner with the same URL is left out,
 * because `Receiver.nameTaken` reports it.
 */
const READ_STATE: Statement<StateRow> = {
  name: 'journal-state',
  text: `SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS "nowMs",
      current_setting('synchronous_standby_names') <> '' AS "isConfigured",
      standbys.*,
      floor(extract(epoch FROM nullif(lease_until, '-infinity') - clock_timestamp()) * 1000)::bigint
        AS "leaseLeftMs",
      coalesce(
        (SELECT url FROM receivers WHERE name = $1 AND process <> $2
          AND seen_at > clock_timestamp()
            - make_interval(secs => CASE WHEN url = $3 THEN least($4::float8, 5) ELSE 5 END)),
        CASE WHEN owner = $1 AND process <> $2 AND url <> $3 AND ${IS_LEASED} THEN url END
      ) AS "namesakeUrl"
    FROM ownership, (
      SELECT count(*)::int AS followers, count(state)::int AS visible,
        (count(*) FILTER (WHERE sync_state IN ('sync', 'quorum')))::int AS synchronous,
        (min(pg_wal_lsn_diff(pg_current_wal_lsn(), flush_lsn))
          FILTER (WHERE sync_state IN ('sync', 'quorum')))::bigint AS "lagBytes"
      FROM pg_stat_replication
    ) AS standbys`,
};

/** Looks at the primary, its standby and the receivers. Throws `StatementFailed`. */
export async function readJournalState(
  session: Session,
  asking: AskingReceiver,
): Promise<JournalState> {
  const askedAt = Date.now();
  const { name, url, openSeconds } = asking;
  const { rows } = await session.call(READ_STATE, name, asking.process, url, openSeconds);
  const [row] = rows;
  if (row === undefined) throw new Error('the table of the ownership has no row');
  const halfWay = Math.round((askedAt + Date.now()) / 2);
  return {
    standby: standbyOf(row),
    standbyLagBytes: row.lagBytes,
    clockAheadMs: halfWay - row.nowMs,
    leaseLeftMs: row.leaseLeftMs,
    namesakeUrl: row.namesakeUrl,
    receivers: await receiversIn(session),
  };
}

function standbyOf({ isConfigured, followers, visible, synchronous }: StateRow) {
  if (!isConfigured || followers === 0) return 'missing';
  if (visible === 0) return 'hidden';
  return synchronous > 0 ? 'waits' : 'missing';
}
