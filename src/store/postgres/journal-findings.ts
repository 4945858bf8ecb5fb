import { shownHost, type Host, type JournalAddress } from './address.ts';
import { identityOf, identityRefusal } from './journal-identity.ts';
import { missingRights, missingText } from './runtime-role.ts';
import { Session, type Statement } from './connection/session.ts';
import { StatementFailed } from './connection/statement-failure.ts';

/** What a look at the database has found, with what to do. */
export interface JournalFinding {
  readonly status: 'ok' | 'warning' | 'problem';
  readonly check: string;
  readonly detail: string;
}

const ANSWER_MS_MAX = 10_000;
/** A larger difference between two clocks makes leases and reports hard to read. */
const CLOCK_MS_MAX = 5_000;
/** Fewer free connections than this are used up by one more receiver and its commands. */
const CONNECTIONS_MIN = 10;
/** A standby that is further behind does not keep up with the primary. */
const LAG_BYTES_MAX = 64 * 1024 * 1024;

/**
 * Each append writes a new version of the one row in `ownership`, and reads all that still stay: some
 * 10 ms for so many.
 */
const OLD_VERSIONS_MAX = 100_000;

interface ServerRow {
  readonly isStandby: boolean;
  readonly synchronousCommit: string;
  readonly messages: string;
  readonly isolation: string;
  readonly standbyNames: string;
  readonly fsync: string;
  readonly fullPageWrites: string;
  readonly nowMs: number;
  readonly connectionsLeft: number;
}

const SERVER: Statement<ServerRow> = {
  text: `SELECT pg_is_in_recovery() AS "isStandby",
    current_setting('synchronous_commit') AS "synchronousCommit",
    current_setting('client_min_messages') AS messages,
    current_setting('default_transaction_isolation') AS isolation,
    current_setting('synchronous_standby_names') AS "standbyNames",
    current_setting('fsync') AS fsync, current_setting('full_page_writes') AS "fullPageWrites",
    floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS "nowMs",
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
      - (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend')::int
      AS "connectionsLeft"`,
};

interface StandbyRow {
  readonly name: string;
  readonly isVisible: boolean;
  readonly syncState: string | null;
  readonly lagBytes: number | null;
}

/** `state` is NULL for a role that may not see it. */
const STANDBYS: Statement<StandbyRow> = {
  text: `SELECT application_name AS name, state IS NOT NULL AS "isVisible", sync_state AS "syncState",
    pg_wal_lsn_diff(pg_current_wal_lsn(), flush_lsn)::bigint AS "lagBytes"
    FROM pg_stat_replication ORDER BY application_name`,
};

interface OpenRow {
  readonly program: string;
  readonly pid: number;
  readonly transactions: number;
}

/**
 * $1 transactions: the session for which PostgreSQL has kept old versions of rows for longest, if it
 * began longer ago. The sender to a standby has it for that standby's readers.
 */
const OLDEST_OPEN: Statement<OpenRow> = {
  text: `SELECT coalesce(nullif(application_name, ''), 'a program') AS program, pid,
      age(backend_xmin) AS transactions
    FROM pg_stat_activity
    WHERE (datname = current_database() OR datname IS NULL) AND age(backend_xmin) >= $1::int
      AND backend_type <> 'autovacuum worker'
    ORDER BY age(backend_xmin) DESC LIMIT 1`,
};

/** Rights of the address's role that a receiver must not have. */
const RIGHTS: Statement<{ table: string }> = {
  text: `SELECT name AS table FROM unnest(ARRAY['journal', 'bodies', 'seals', 'computed_days']) AS name
    WHERE has_table_privilege($1 || '.' || name, 'UPDATE')
      OR has_table_privilege($1 || '.' || name, 'DELETE')
      OR has_table_privilege($1 || '.' || name, 'TRUNCATE')`,
};

/** What a server is; `unknown` when it did not answer. */
type ServerRole = 'primary' | 'standby' | 'unknown';

/**
 * Looks at every server of an address, and at the journal on the one that takes writes. Changes
 * nothing. `nowMs`: this machine's clock.
 */
export async function journalFindings(
  address: JournalAddress,
  nowMs: () => number,
): Promise<JournalFinding[]> {
  const found: JournalFinding[] = [];
  const roles: ServerRole[] = [];
  for (const host of address.hosts) {
    const { findings, role } = await hostFindings(address, host, nowMs);
    found.push(...findings);
    roles.push(role);
  }
  const primaries = roles.filter((role) => role === 'primary').length;
  if (primaries === 0 && roles.includes('standby')) {
    found.push(problem('primary', 'no server of the address takes writes: name the primary too'));
  } else if (primaries > 1) {
    const detail = `${primaries} servers take writes, so they are not one cluster: stop all but the one that the others follow`;
    found.push(problem('primary', detail));
  }
  return found;
}

async function hostFindings(
  address: JournalAddress,
  host: Host,
  nowMs: () => number,
): Promise<{ findings: JournalFinding[]; role: ServerRole }> {
  const check = shownHost(host);
  try {
    const session = await Session.open(address, host, { answerMsMax: ANSWER_MS_MAX });
    try {
      const askedAt = nowMs();
      const { rows } = await session.call(SERVER);
      const [server] = rows;
      if (server === undefined) throw new Error(`${check} answers without a row`);
      const halfWayMs = Math.round((askedAt + nowMs()) / 2);
      const findings = serverFindings(check, server, halfWayMs);
      if (server.isStandby) return { findings, role: 'standby' };
      findings.push(...commitFindings(check, server));
      findings.push(...standbyFindings(check, server, (await session.call(STANDBYS)).rows));
      findings.push(
        ...openFindings(check, (await session.call(OLDEST_OPEN, OLD_VERSIONS_MAX)).rows),
      );
      findings.push(...(await schemaFindings(session, address)));
      return { findings, role: 'primary' };
    } finally {
      await session.close();
    }
  } catch (error) {
    if (!(error instanceof StatementFailed)) throw error;
    return { findings: [problem(check, error.message)], role: 'unknown' };
  }
}

function serverFindings(check: string, server: ServerRow, nowMs: number): JournalFinding[] {
  const found = [ok(check, server.isStandby ? 'reached; a standby' : 'reached; the primary')];
  if (server.fsync !== 'on') {
    found.push(problem(check, 'fsync is off: a crash loses or damages the journal; set it to on'));
  }
  if (server.fullPageWrites !== 'on') {
    const detail = 'full_page_writes is off: a crash can damage the journal; set it to on';
    found.push(problem(check, detail));
  }
  const aheadMs = server.nowMs - nowMs;
  if (Math.abs(aheadMs) > CLOCK_MS_MAX) {
    const detail = `its clock is ${Math.round(Math.abs(aheadMs) / 1_000)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} this machine's: run NTP on both`;
    found.push(warning(check, detail));
  }
  if (server.connectionsLeft < CONNECTIONS_MIN) {
    const detail = `${Math.max(0, server.connectionsLeft)} connections are left: raise max_connections`;
    found.push(warning(check, detail));
  }
  return found;
}

/** What receivers set for themselves; other programs of the role or the database may rely on it. */
function commitFindings(check: string, server: ServerRow): JournalFinding[] {
  const { synchronousCommit, messages, isolation } = server;
  const found: JournalFinding[] = [];
  if (synchronousCommit !== 'on' && synchronousCommit !== 'remote_apply') {
    const detail = `synchronous_commit is ${synchronousCommit} for this role: receivers switch it on for themselves; set it to on`;
    found.push(warning(check, detail));
  }
  if (messages === 'error') {
    const detail =
      'client_min_messages is error for this role, so a commit that the standby lacks looks like any other: receivers set warning for themselves; set it to notice';
    found.push(warning(check, detail));
  }
  if (isolation !== 'read committed') {
    const detail = `default_transaction_isolation is ${isolation} for this role: receivers set read committed for themselves; set it to read committed`;
    found.push(warning(check, detail));
  }
  return found;
}

function standbyFindings(
  check: string,
  { standbyNames }: ServerRow,
  standbys: readonly StandbyRow[],
): JournalFinding[] {
  if (standbyNames === '') {
    const detail =
      'synchronous_standby_names is empty: a failover loses acknowledged notifications; name the standby there';
    return [problem(check, detail)];
  }
  if (standbys.some(({ isVisible }) => !isVisible)) {
    const detail =
      'this role may not see which commits the standby has, so receivers whose standby is required take nothing: as a superuser, GRANT pg_monitor to it';
    return [problem(check, detail)];
  }
  const synchronous = standbys.filter(
    ({ syncState }) => syncState === 'sync' || syncState === 'quorum',
  );
  if (synchronous.length === 0) {
    const detail = `no synchronous standby follows (synchronous_standby_names is ${standbyNames}): every delivery is answered with 503 until one does; start it`;
    return [problem(check, detail)];
  }
  return standbys.map(({ name, syncState, lagBytes }) => {
    const behind = `standby ${name} (${syncState}) is ${lagBytes ?? 0} bytes behind`;
    if ((lagBytes ?? 0) <= LAG_BYTES_MAX) return ok(check, behind);
    return warning(check, `${behind}: check its disk and its network`);
  });
}

function openFindings(check: string, oldest: readonly OpenRow[]): JournalFinding[] {
  return oldest.map(({ program, pid, transactions }) => {
    const detail = `${program} (process ${pid}) has kept one transaction open while ${transactions} others ran, so old versions of rows stay, and each append becomes slower: end it`;
    return warning(check, detail);
  });
}

async function schemaFindings(
  session: Session,
  address: JournalAddress,
): Promise<JournalFinding[]> {
  const identity = await identityOf(session, address.schema);
  const refusal = identityRefusal(identity, address);
  if (refusal !== undefined) return [problem('journal', refusal)];
  const missing = await missingRights(session, address.schema);
  if (missing.length > 0) return [problem('journal', missingText(missing, address.user))];
  const { rows } = await session.call(RIGHTS, address.schema);
  if (rows.length === 0) {
    return [ok('journal', `schema ${address.schema}; role ${address.user} cannot change it`)];
  }
  const tables = rows.map(({ table }) => table).join(', ');
  const detail = `role ${address.user} may change or delete rows of ${tables}: run receivers under a role of \`counterfoil init --runtime-role\``;
  return [warning('journal', detail)];
}

function ok(check: string, detail: string): JournalFinding {
  return { status: 'ok', check, detail };
}

function warning(check: string, detail: string): JournalFinding {
  return { status: 'warning', check, detail };
}

function problem(check: string, detail: string): JournalFinding {
  return { status: 'problem', check, detail };
}
