import type { Host, JournalAddress } from '../address.ts';
import { Session, type SessionSettings, type Statement } from './session.ts';
import { StatementFailed } from './statement-failure.ts';

/**
 * Parts of the time for an answer that a statement, and its wait for a lock, may take. The server
 * gives up before we do, so that the outcome is known.
 */
const STATEMENT_SHARE = 0.8;
const LOCK_SHARE = 0.5;
/** The oldest release that is tested. */
const RELEASE_MIN = 150_000;

const OPEN: Statement<{
  isStandby: boolean;
  isReadOnly: boolean;
  release: number;
  releaseName: string;
}> = {
  text: `SELECT set_config('search_path', $1, false),
    set_config('synchronous_commit',
      CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END,
      false),
    set_config('client_min_messages', 'warning', false),
    set_config('default_transaction_isolation', 'read committed', false),
    set_config('statement_timeout', $2, false), set_config('lock_timeout', $3, false),
    set_config('idle_in_transaction_session_timeout', $2, false),
    set_config('client_connection_check_interval', '1s', false),
    set_config('tcp_user_timeout', '10s', false),
    set_config('tcp_keepalives_idle', '5', false), set_config('tcp_keepalives_interval', '2', false),
    set_config('tcp_keepalives_count', '3', false),
    pg_is_in_recovery() AS "isStandby", current_setting('transaction_read_only') = 'on' AS "isReadOnly",
    current_setting('server_version_num')::int AS release,
    current_setting('server_version') AS "releaseName"`,
};

/**
 * Opens a session on a host and sets what every session needs, whatever the role or the database
 * says. A commit waits for the standby. The server says so when it did not wait. A statement that
 * waited for a lock sees the newest row, and nobody waits without end. Refuses a standby, a
 * read-only server and an old release. Throws `StatementFailed`.
 */
export async function openWritable(
  address: JournalAddress,
  host: Host,
  settings: SessionSettings,
): Promise<Session> {
  const session = await Session.open(address, host, settings);
  try {
    await assertWritable(session, address.schema, settings);
    return session;
  } catch (error) {
    await session.close();
    throw error;
  }
}

async function assertWritable(
  session: Session,
  schema: string,
  { answerMsMax }: SessionSettings,
): Promise<void> {
  const partOf = (share: number): string => `${Math.ceil(answerMsMax * share)}ms`;
  const times = [partOf(STATEMENT_SHARE), partOf(LOCK_SHARE)];
  const { rows } = await session.call(OPEN, `${schema}, pg_temp`, ...times);
  const [server] = rows;
  if (server === undefined) throw serverRefused('the server answers without a row');
  if (server.release < RELEASE_MIN) {
    throw serverRefused(`PostgreSQL ${server.releaseName} is too old: use 15 or later`);
  }
  if (server.isStandby) throw serverRefused('this server is a standby: name the primary too');
  if (server.isReadOnly) {
    throw serverRefused('this server is read-only: set default_transaction_read_only to off');
  }
}

/** A server that answers, but cannot be used. */
export function serverRefused(text: string): StatementFailed {
  return new StatementFailed(text, { effect: 'none', code: undefined });
}
