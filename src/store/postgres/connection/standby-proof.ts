import { setTimeout as sleep } from 'node:timers/promises';
import type { Call, Session, Statement } from './session.ts';

/** How long the standby may take for what others have written since. It is there within milliseconds. */
const PROOF_MS_MAX = 2_000;
/** The pause before the standby's position is read again. */
const PAUSE_MS = 2;

/**
 * Why a commit of this session need not wait for a standby, as SQL; NULL when it must.
 * `alone`: none is configured. `changed`: the session lacks what it has set when it was opened, because
 * a pooler runs its statements in other sessions. Below `warning`, a cancelled wait looks like success.
 */
export const NO_WAIT = `CASE WHEN current_setting('synchronous_standby_names') = '' THEN 'alone'
  WHEN current_setting('synchronous_commit') NOT IN ('on', 'remote_apply')
    OR current_setting('client_min_messages') <> 'warning' THEN 'changed' END`;

export type NoWait = 'alone' | 'changed';

/** What to do for each reason. */
export const NO_WAIT_ADVICE: Readonly<Record<NoWait, string>> = {
  alone:
    'synchronous_standby_names is empty, so a commit would be on one server only: configure the standby, or let the receiver go on without one',
  changed:
    'the session has lost its settings, as under a pooler of transactions: connect to PostgreSQL itself',
};

/** When the session last read the server's configuration. */
const LOADED: Statement<{ loadedAt: string }> = {
  name: 'loaded',
  text: 'SELECT pg_conf_load_time()::text AS "loadedAt"',
};

interface ProofRow {
  readonly noWait: NoWait | null;
  readonly loadedAt: string;
  /** The end of the log on the primary's disk, behind every earlier commit of the session. */
  readonly position: string;
  readonly followers: number;
  /** Followers whose state the role may see. */
  readonly visible: number;
  readonly isKept: boolean;
}

/** $1 a position of the log; NULL asks for its end. `isKept`: a synchronous standby has it on disk. */
const PROOF: Statement<ProofRow> = {
  name: 'standby-proof',
  text: `SELECT ${NO_WAIT} AS "noWait", pg_conf_load_time()::text AS "loadedAt",
      coalesce($1::pg_lsn, pg_current_wal_flush_lsn())::text AS position,
      count(*)::int AS followers, count(state)::int AS visible,
      coalesce(bool_or(flush_lsn >= coalesce($1::pg_lsn, pg_current_wal_flush_lsn()))
        FILTER (WHERE sync_state IN ('sync', 'quorum')), false) AS "isKept"
    FROM pg_stat_replication`,
};

/** Answers to calls that write. */
export interface Written<Rows extends readonly object[]> {
  readonly rows: { readonly [Index in keyof Rows]: readonly Rows[Index][] };
  /** Why they count as not kept; undefined when they are kept. */
  readonly unconfirmed: string | undefined;
  /** Whether they count as not kept because no standby is configured. */
  readonly isAlone: boolean;
}

/**
 * Runs calls that write, and proves that a synchronous standby has them. PostgreSQL ends a commit's
 * wait with success, and without a word, when somebody empties `synchronous_standby_names`; and commits
 * do not wait until its checkpointer has read the names. The settings alone cannot show either: they
 * may have been emptied and filled again, and a session reads them before the checkpointer does. So the
 * standby's position is compared with the log's end after the commit.
 *
 * Without `pg_monitor` the role sees no positions. Then the names must be there after the commit, and
 * the session must not have read the configuration meanwhile. PostgreSQL tells sessions of a change
 * before it tells the checkpointer, so no wait that a change has ended is missed.
 *
 * Throws `StatementFailed`.
 */
export async function provenWrite<Rows extends readonly object[]>(
  session: Session,
  calls: { readonly [Index in keyof Rows]: Call<Rows[Index]> },
): Promise<Written<Rows>> {
  const { rows, warning } = await session.callAll<object[]>([
    { statement: LOADED },
    ...(calls as readonly Call[]),
    { statement: PROOF, values: [null] },
  ]);
  // The first and the last answer have the shapes of their calls, and the others those of `calls`.
  const [before] = rows[0] as readonly { readonly loadedAt: string }[];
  const [after] = rows.at(-1) as readonly ProofRow[];
  const answered = rows.slice(1, -1) as unknown as Written<Rows>['rows'];
  if (before === undefined || after === undefined) throw new Error('a question without an answer');
  const unconfirmed = warning ?? (await doubtOf(session, after, before.loadedAt));
  return {
    rows: answered,
    unconfirmed: unconfirmed === undefined ? undefined : adviceFor(after, unconfirmed),
    isAlone: after.noWait === 'alone',
  };
}

/** Why the commit before `after` is not proven to be at a standby; undefined when it is. */
async function doubtOf(
  session: Session,
  after: ProofRow,
  loadedBefore: string,
): Promise<string | undefined> {
  if (after.noWait !== null) return after.noWait;
  if (after.followers === 0) return 'no standby follows';
  if (after.visible === 0) {
    return after.loadedAt === loadedBefore
      ? undefined
      : 'the configuration was read again meanwhile';
  }
  const until = performance.now() + PROOF_MS_MAX;
  for (let { isKept } = after; !isKept;) {
    if (performance.now() >= until) return 'no synchronous standby has the end of the log';
    await sleep(PAUSE_MS);
    const { rows } = await session.call(PROOF, after.position);
    isKept = rows[0]?.isKept === true;
  }
  return undefined;
}

function adviceFor({ noWait }: ProofRow, said: string): string {
  return noWait === null ? withoutStandby(said) : NO_WAIT_ADVICE[noWait];
}

/** What to do while no standby confirms writes; `said`: what PostgreSQL said. */
export function withoutStandby(said: string): string {
  return `no synchronous standby has confirmed the write: start the standby, repair its network, or name another one in synchronous_standby_names (PostgreSQL: ${said})`;
}
