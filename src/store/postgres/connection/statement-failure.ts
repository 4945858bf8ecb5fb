import pg from 'pg';

/**
 * A statement, or a connection, that failed.
 *
 * | effect | after |
 * |---|---|
 * | `none` | an error of the server, which has rolled the statement back; or nothing was sent |
 * | `unknown` | the connection was lost, or no answer came in time: it may have been committed |
 */
export class StatementFailed extends Error {
  override readonly name = 'StatementFailed';
  readonly effect: 'none' | 'unknown';
  /** The server's SQLSTATE, or Node's error code. */
  readonly code: string | undefined;
  /** Whether no answer, or no lock, came in time. */
  readonly isTooLong: boolean;

  constructor(text: string, how: { effect: 'none' | 'unknown'; code: string | undefined }) {
    super(text);
    this.effect = how.effect;
    this.code = how.code;
    this.isTooLong = how.code === '55P03' || text === NO_ANSWER_ADVICE;
  }

  /** This failure after an earlier statement of the same group: the earlier one may have been kept. */
  afterAnother(): StatementFailed {
    return new StatementFailed(this.message, { effect: 'unknown', code: this.code });
  }
}

const NAME_AUTHORITY = 'name the authority of its certificate in sslrootcert';
const UNREACHED = 'the server cannot be reached: check network and firewall';
const CONNECTION_LOST = 'the connection was lost: the server ended it, or the network was cut';

const POOLER =
  'the session has lost what it was opened with, as under a pooler of transactions: connect to PostgreSQL itself';

/** What each error code means to an operator, and what to do. PostgreSQL's Appendix A lists them. */
const ADVICE: Readonly<Record<string, string>> = {
  '25006': 'the server is read-only, as a standby is: name the primary too',
  '26000': POOLER,
  '28000': 'the server refuses this user: check its pg_hba.conf',
  '3D000': 'the database does not exist: create it, then run `counterfoil init`',
  '42501': 'the role lacks a right: run `counterfoil init --runtime-role` with its name',
  '42P01': `a table of the journal is missing, or ${POOLER}. If the table is missing there too, restore the database from its backup`,
  '42P05': POOLER,
  '53100': "the server's disk is full: free space there",
  '53200': 'the server has no memory left: give it more, or fewer connections',
  '53300': "the server has no connection left: raise its max_connections, or end others' sessions",
  '53400': 'a limit of the server is reached: raise it, see its log',
  '55P03': 'another session holds the lock for too long: it may wait for the standby',
  '57014': 'the statement was cancelled, or took too long',
  '58030': 'the server cannot read or write its files: check its disk',
  '57P01': 'the server shuts down',
  '57P02': 'the server restarts after a crash',
  '57P03': 'the server does not take connections yet',
  ECONNREFUSED: 'nothing listens there: start PostgreSQL, or correct the address',
  EAI_AGAIN: 'the name cannot be resolved: check DNS, or correct the address',
  ENOTFOUND: 'no such host: correct the address',
  DEPTH_ZERO_SELF_SIGNED_CERT: "name the server's certificate, or its authority, in sslrootcert",
  SELF_SIGNED_CERT_IN_CHAIN: NAME_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: NAME_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: NAME_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: NAME_AUTHORITY,
  CERT_HAS_EXPIRED: "renew the server's certificate",
  CERT_NOT_YET_VALID: 'set both clocks by NTP',
  ERR_TLS_CERT_ALTNAME_INVALID: 'write the name that its certificate has, or give it another one',
  ECONNRESET: CONNECTION_LOST,
  EHOSTUNREACH: UNREACHED,
  ENETUNREACH: UNREACHED,
  ETIMEDOUT: UNREACHED,
};

const NO_ANSWER_ADVICE =
  'PostgreSQL did not answer in time: the network may be cut, or the write waits for the standby';

/** Errors of `pg` itself, which have no code, in words that say what to do. */
const SAID: Readonly<Record<string, string>> = {
  'Query read timeout': NO_ANSWER_ADVICE,
  'timeout expired':
    'nothing answers there as PostgreSQL does: correct the address, or check network and firewall',
  'The server does not support SSL connections':
    'the server has no TLS: switch ssl on there, or write sslmode=disable for a network of your own',
  'SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a non-empty string':
    'the server asks for a password: give it in the address of "store" as ${DATABASE_PASSWORD}, or to commands in PGPASSWORD',
  'Connection terminated unexpectedly': CONNECTION_LOST,
};

/** States after which the server may have committed: it says so when it ends a session. */
const UNCERTAIN = /^(?:08|57)/;

/** The server's SQLSTATE for a wrong password. */
const WRONG_PASSWORD = '28P01';

/** The failure of a connection; `passwordFrom` says where its password comes from. */
export function connectionFailure(error: unknown, passwordFrom: string): StatementFailed {
  const failure = failureOf(error, false);
  if (failure.code !== WRONG_PASSWORD) return failure;
  const text = `${failure.message} (the password is wrong: check ${passwordFrom})`;
  return new StatementFailed(text, { effect: failure.effect, code: failure.code });
}

/** The failure behind an error of `pg`; `wasSent` when the statement had been sent. */
export function failureOf(error: unknown, wasSent: boolean): StatementFailed {
  if (error instanceof StatementFailed) return error;
  const { message, code } = asError(error);
  const advised =
    code !== undefined && ADVICE[code] !== undefined ? `${message} (${ADVICE[code]})` : message;
  const text = SAID[message] ?? advised;
  // Of the server's errors only those of severity ERROR leave the session open: it rolled back.
  const rolledBack =
    error instanceof pg.DatabaseError && error.severity === 'ERROR' && !UNCERTAIN.test(code ?? '');
  return new StatementFailed(text, { effect: wasSent && !rolledBack ? 'unknown' : 'none', code });
}

function asError(error: unknown): { readonly message: string; readonly code: string | undefined } {
  if (error instanceof AggregateError && error.errors.length > 0) return asError(error.errors[0]);
  if (!(error instanceof Error)) return { message: String(error), code: undefined };
  const { code } = error as NodeJS.ErrnoException;
  return { message: error.message, code: typeof code === 'string' ? code : undefined };
}
