import type { Primary } from './primary.ts';
import type { Call, Calls, Session, Statement } from './session.ts';
import { provenWrite, type Written } from './standby-proof.ts';
import { StatementFailed } from './statement-failure.ts';

/** How long an optional standby may take for one write. A healthy one takes milliseconds. */
const WAIT_MS = 1_000;
/** How long writes go on alone before one waits for the standby again. */
const ALONE_MS = 60_000;

const SET_WAIT: Statement<object> = {
  name: 'set-wait',
  text: `SELECT set_config('synchronous_commit', $1, false)`,
};

/**
 * Ends the waits of this role's sessions of the same kind (`sessionName`), also of receivers that died:
 * their locks hold others back. Sessions that need the standby go on waiting for it.
 */
const END_WAITS: Statement<object> = {
  text: `SELECT pg_cancel_backend(pid) FROM pg_stat_activity
    WHERE usename = current_user AND datname = current_database() AND wait_event = 'SyncRep'
      AND application_name = current_setting('application_name')`,
};

/**
 * | standby | a write |
 * |---|---|
 * | `required` | counts when the synchronous standby has it |
 * | `optional` | waits for the standby while it answers, and counts anyway |
 * | `ignored` | never waits: a command's, which keeps nothing that receivers rely on |
 */
export type StandbyPolicy = 'required' | 'optional' | 'ignored';

/** The application_name of sessions, by which one kind does not end the waits of another. */
export function sessionName(standby: StandbyPolicy, of = 'counterfoil'): string {
  return standby === 'optional' ? of : `${of}, standby ${standby}`;
}

/**
 * Whether writes wait for the synchronous standby. They always do where it is required. Where it is
 * optional, a wait that takes too long is ended, and later writes do not wait; once a minute one tries
 * whether a standby confirms it.
 */
export class StandbyWait {
  readonly #standby: StandbyPolicy;
  readonly #primary: Pick<Primary, 'another'>;
  /** Monotonic milliseconds since when writes go on alone; null while they wait. */
  #aloneSince: number | null = null;
  /** The session that does not wait. */
  #alone: Session | undefined;

  constructor(standby: StandbyPolicy, primary: Pick<Primary, 'another'>) {
    this.#standby = standby;
    this.#primary = primary;
  }

  /** Whether writes go on without the standby. */
  get isAlone(): boolean {
    return this.#aloneSince !== null;
  }

  /** Runs calls that write, each once. Throws `StatementFailed`. */
  async write<Rows extends readonly object[]>(
    session: Session,
    calls: Calls<Rows>,
  ): Promise<Written<Rows>> {
    if (this.#standby === 'required') return provenWrite<Rows>(session, calls);
    await this.#prepare(session);
    const ending =
      this.#standby === 'optional' ? setInterval(() => void this.#endWaits(), WAIT_MS) : undefined;
    try {
      const { rows, warning } = await session.callAll<Rows>(calls);
      if (warning !== null) this.#aloneSince ??= performance.now();
      return { rows, unproven: undefined, isAlone: false };
    } finally {
      clearInterval(ending);
    }
  }

  /**
   * Why no standby vouches for the session's server, tried with calls that write; undefined when one
   * does, and where none is configured or asked for. Throws `StatementFailed`.
   */
  async doubt(session: Session, calls: readonly Call[]): Promise<string | undefined> {
    if (this.#standby === 'ignored') return undefined;
    if (this.#standby === 'optional') await this.#set(session, false);
    const { unproven, isAlone } = await provenWrite(session, calls);
    return this.#standby === 'optional' && isAlone ? undefined : unproven;
  }

  /** Lets the session wait for the standby, or not. */
  async #prepare(session: Session): Promise<void> {
    const isOver = performance.now() - (this.#aloneSince ?? Infinity) >= ALONE_MS;
    if (isOver) this.#aloneSince = null;
    await this.#set(session, this.#standby === 'ignored' || this.#aloneSince !== null);
  }

  async #set(session: Session, isAlone: boolean): Promise<void> {
    if (isAlone === (this.#alone === session)) return;
    await session.call(SET_WAIT, isAlone ? 'local' : 'on');
    this.#alone = isAlone ? session : undefined;
  }

  async #endWaits(): Promise<void> {
    try {
      const session = await this.#primary.another();
      try {
        await session.call(END_WAITS);
      } finally {
        await session.close();
      }
    } catch (error) {
      // The write itself fails then, and says why.
      if (!(error instanceof StatementFailed)) throw error;
    }
  }
}
