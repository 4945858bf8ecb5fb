import { setTimeout as sleep } from 'node:timers/promises';
import type { Call, Calls, Rowsets, Session, Statement } from './session.ts';
import { StatementFailed } from './statement-failure.ts';

/** How long the standby may take for what others have written since. It is there within milliseconds. */
const PROOF_MS_MAX = 2_000;
/** The pause before the standby's position is read again. */
const PAUSE_MS = 2;

/**
 * Why no commit of this session can be proven to be at a standby, as SQL; NULL when it can.
 * `alone`: no standby is configured. `changed`: the session lacks what it has set when it was opened,
 * because a pooler runs its statements in other sessions. A session whose `client_min_messages` is above
 * `warning` would take a cancelled wait for success. `hidden`: the role may not see the standby's position (pg_monitor includes this right).
 */
export const NO_PROOF = `CASE WHEN current_setting('synchronous_standby_names') = '' THEN 'alone'
  WHEN current_setting('synchronous_commit') NOT IN ('on', 'remote_apply')
    OR current_setting('client_min_messages') <> 'warning' THEN 'changed'
  WHEN NOT pg_has_role('pg_read_all_stats', 'USAGE') THEN 'hidden' END`;

export type NoProof = 'alone' | 'changed' | 'hidden';

/** What to do for each reason. */
export const NO_PROOF_ADVICE: Readonly<Record<NoProof, string>> = {
  alone:
    'synchronous_standby_names is empty, so a commit would be on one server only: configure the standby, or let the receiver go on without one',
  changed:
    'the session has lost its settings, as under a pooler of transactions: connect to PostgreSQL itself',
  hidden:
    "the role may not see which commits the standby has: as a superuser, GRANT pg_monitor to the receivers' role",
};

interface ProofRow {
  readonly noProof: NoProof | null;
  /** The end of the log on the primary's disk, behind every earlier commit of the session. */
  readonly position: string;
  readonly followers: number;
  readonly isKept: boolean;
}

/** $1 a position of the log; NULL asks for its end. `isKept`: a synchronous standby has it on disk. */
const PROOF: Statement<ProofRow> = {
  name: 'standby-proof',
  text: `SELECT ${NO_PROOF} AS "noProof",
      coalesce($1::pg_lsn, pg_current_wal_flush_lsn())::text AS position, count(*)::int AS followers,
      coalesce(bool_or(flush_lsn >= coalesce($1::pg_lsn, pg_current_wal_flush_lsn()))
        FILTER (WHERE sync_state IN ('sync', 'quorum')), false) AS "isKept"
    FROM pg_stat_replication`,
};

/** Answers to calls that write. */
export interface Written<Rows extends readonly object[]> {
  readonly rows: Rowsets<Rows>;
  /** Why they count as not kept; undefined when they are kept. */
  readonly unproven: string | undefined;
  /** Whether they count as not kept because no standby is configured. */
  readonly isAlone: boolean;
}

/**
 * Runs calls that write, and proves that a synchronous standby has them. PostgreSQL ends a commit's
 * wait with success, and without a word, when somebody empties `synchronous_standby_names`. When the
 * names are filled in again, commits wait for nobody until its checkpointer has read them. The settings
 * show neither: they may have been emptied and filled again meanwhile, and a session reads them before
 * the checkpointer does. So the standby's position is compared with the log's end after the commit. A
 * role that may not see the position proves nothing. Throws `StatementFailed`.
 */
export async function provenWrite<Rows extends readonly object[]>(
  session: Session,
  calls: Calls<Rows>,
): Promise<Written<Rows>> {
  const { rows, warning } = await session.callAll<object[]>([
    ...(calls as readonly Call[]),
    { statement: PROOF, values: [null] },
  ]);
  // The last answer has the shape of its call, and the others those of `calls`.
  const [after] = rows.at(-1) as readonly ProofRow[];
  const answered = rows.slice(0, -1) as unknown as Rowsets<Rows>;
  if (after === undefined) throw new Error('a question without an answer');
  const unproven = warning ?? (await doubtOf(session, after));
  return {
    rows: answered,
    unproven: unproven === undefined ? undefined : adviceFor(after, unproven),
    isAlone: after.noProof === 'alone',
  };
}

/** Why the commit before `after` is not proven to be at a standby; undefined when it is. */
async function doubtOf(session: Session, after: ProofRow): Promise<string | undefined> {
  if (after.noProof !== null) return after.noProof;
  if (after.followers === 0) return 'no standby follows';
  const until = performance.now() + PROOF_MS_MAX;
  for (let { isKept } = after; !isKept;) {
    if (performance.now() >= until) return 'no synchronous standby has the end of the log';
    await sleep(PAUSE_MS);
    const { rows } = await session.call(PROOF, after.position).catch((error: unknown) => {
      throw error instanceof StatementFailed ? error.afterAnother() : error;
    });
    isKept = rows[0]?.isKept === true;
  }
  return undefined;
}

function adviceFor({ noProof }: ProofRow, said: string): string {
  return noProof === null ? withoutStandby(said) : NO_PROOF_ADVICE[noProof];
}

/** What to do while no standby confirms writes; `said`: what PostgreSQL said. */
export function withoutStandby(said: string): string {
  return `no synchronous standby has confirmed the write: start the standby, repair its network, or name another one in synchronous_standby_names (PostgreSQL: ${said})`;
}
