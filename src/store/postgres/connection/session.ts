import { Socket } from 'node:net';
import pg from 'pg';
import type { Host, JournalAddress } from '../address.ts';
import { connectionFailure, failureOf, StatementFailed } from './statement-failure.ts';

/** Longest wait for a connection. */
const CONNECT_MS_MAX = 2_000;
/** How long the goodbye may take. */
const CLOSE_MS_MAX = 500;
/** How long a silent connection waits before the system asks whether the other end is alive. */
const KEEPALIVE_MS = 5_000;

/** A statement with a name is prepared once per session. */
export interface Statement<Row extends object> {
  readonly name?: string;
  readonly text: string;
  /** Never set: it carries the shape of the answer's rows, which nothing checks. */
  readonly row?: Row;
}

export interface Call<Row extends object = object> {
  readonly statement: Statement<Row>;
  readonly values?: readonly unknown[];
}

/** Pipelined calls, by the shapes of their rows. */
export type Calls<Rows extends readonly object[]> = {
  readonly [Index in keyof Rows]: Call<Rows[Index]>;
};

/** The rows that pipelined calls answer. */
export type Rowsets<Rows extends readonly object[]> = {
  readonly [Index in keyof Rows]: readonly Rows[Index][];
};

/** Answers to pipelined calls. */
interface Answers<Rows extends readonly object[]> {
  readonly rows: Rowsets<Rows>;
  /** A warning of the server; for example that it did not wait for the standby. */
  readonly warning: string | null;
}

export interface SessionSettings {
  /** Longest wait for an answer, in milliseconds. */
  readonly answerMsMax: number;
  /** The application_name; `counterfoil` by default. */
  readonly name?: string;
  /** Hangs up, also while the connection comes about. */
  readonly closing?: AbortSignal;
}

/** One connection to one server. Its calls are sent together, and run in their order. */
export class Session {
  readonly #client: pg.Client;
  readonly #socket: Socket;
  readonly #warnings: string[] = [];
  #isOpen = true;

  private constructor(client: pg.Client, socket: Socket) {
    this.#client = client;
    this.#socket = socket;
    client.on('notice', ({ code, message }) => {
      // Class 00 is a message; every other class is a warning.
      if (code?.startsWith('00') !== true) this.#warnings.push(message ?? `warning ${code}`);
    });
    const close = (): void => {
      this.#isOpen = false;
    };
    client.on('error', close);
    client.on('end', close);
  }

  /** Connects to one host of an address. Throws `StatementFailed`. */
  static async open(
    address: JournalAddress,
    host: Host,
    { answerMsMax, name = 'counterfoil', closing }: SessionSettings,
  ): Promise<Session> {
    const socket = new Socket();
    const hangUp = (): void => void socket.destroy();
    closing?.addEventListener('abort', hangUp);
    socket.once('close', () => closing?.removeEventListener('abort', hangUp));
    const client = new pg.Client({
      stream: () => socket,
      ...host,
      user: address.user,
      database: address.database,
      // A function, so that `pg` looks for none in the environment or in ~/.pgpass.
      password: () => address.password ?? '',
      ssl: address.tls,
      application_name: name,
      client_encoding: 'UTF8',
      connectionTimeoutMillis: CONNECT_MS_MAX,
      query_timeout: answerMsMax,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEPALIVE_MS,
      pipeline: true,
      types: { getTypeParser: parserOf },
    });
    const session = new Session(client, socket);
    try {
      await client.connect();
      return session;
    } catch (error) {
      // `pg` leaves the connection open when it cannot answer the server: when it lacks a password.
      socket.destroy();
      throw connectionFailure(error, address.passwordFrom);
    }
  }

  /** False after the connection was lost or closed. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Sends one call. Throws `StatementFailed`. */
  async call<Row extends object>(
    statement: Statement<Row>,
    ...values: readonly unknown[]
  ): Promise<{ readonly rows: readonly Row[]; readonly warning: string | null }> {
    const { rows, warning } = await this.callAll<[Row]>([{ statement, values }]);
    return { rows: rows[0], warning };
  }

  /**
   * Sends calls together; each is a transaction of its own. Throws the first `StatementFailed`,
   * after all have ended. Its effect is `unknown` unless the first call failed. Callers wait for the
   * answers before they send more.
   */
  async callAll<Rows extends readonly object[]>(calls: Calls<Rows>): Promise<Answers<Rows>> {
    this.#warnings.length = 0;
    const wasOpen = this.#isOpen;
    const sent = calls.map(({ statement: { name, text }, values = [] }) =>
      this.#client
        .query<object>({ ...(name !== undefined && { name }), text, values: [...values] })
        .then(
          (result) => result.rows,
          (error: unknown) => failureOf(error, wasOpen),
        ),
    );
    const rows = await Promise.all(sent);
    const failure = rows.find((one) => one instanceof StatementFailed);
    if (failure !== undefined) throw failure === rows[0] ? failure : failure.afterAnother();
    // Each element has the shape that its call names.
    return { rows: rows as unknown as Rowsets<Rows>, warning: this.#warnings[0] ?? null };
  }

  /** Runs several statements without values as one transaction. Throws `StatementFailed`. */
  async script(text: string): Promise<void> {
    try {
      await this.#client.query(text);
    } catch (error) {
      throw failureOf(error, true);
    }
  }

  /** Says goodbye, and hangs up on a server that does not answer. */
  async close(): Promise<void> {
    this.#isOpen = false;
    const hangUp = setTimeout(() => this.#socket.destroy(), CLOSE_MS_MAX);
    await this.#client.end();
    clearTimeout(hangUp);
  }
}

const INT8_OID = 20;

/** Positions and times are safe integers; PostgreSQL's other types stay as `pg` reads them. */
function parserOf(oid: number, format?: 'text' | 'binary'): unknown {
  return oid === INT8_OID && format !== 'binary'
    ? safeInteger
    : pg.types.getTypeParser(oid, format);
}

function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new Error(`${text} is beyond the safe integers`);
  return value;
}
