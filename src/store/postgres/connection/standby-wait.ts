import type { Primary } from './primary.ts';
import type { Session, Statement } from './session.ts';
import { StatementFailed } from './statement-failure.ts';

/** How long an optional standby may take for one write. A healthy one takes milliseconds. */
const WAIT_MS = 1_000;
/** How long writes go on alone before one waits for the standby again. */
const ALONE_MS = 60_000;

const SET_WAIT: Statement<object> = {
  name: 'set-wait',
  text: `SELECT set_config('synchronous_commit', $1, false)`,
};

/** Ends the waits of this role's sessions, also of receivers that died: their locks hold others back. */
const END_WAITS: Statement<object> = {
  text: `SELECT pg_cancel_backend(pid) FROM pg_stat_activity
    WHERE usename = current_user AND datname = current_database() AND wait_event = 'SyncRep'`,
};

interface Written<Answer> {
  readonly answer: Answer;
  /** Why the write counts as not kept; undefined when it is kept. */
  readonly unconfirmed: string | undefined;
}

/**
 * Whether writes wait for the synchronous standby. They always do where it is required. Where it is
 * optional, a wait that takes too long is ended, and later writes do not wait; once a minute one tries
 * whether a standby confirms it.
 */
export class StandbyWait {
  readonly #standby: 'required' | 'optional';
  readonly #primary: Pick<Primary, 'another'>;
  /** Monotonic milliseconds since when writes go on alone; null while they wait. */
  #aloneSince: number | null = null;
  /** The session that does not wait. */
  #alone: Session | undefined;

  constructor(standby: 'required' | 'optional', primary: Pick<Primary, 'another'>) {
    this.#standby = standby;
    this.#primary = primary;
  }

  /** Whether writes go on without the standby. */
  get isAlone(): boolean {
    return this.#aloneSince !== null;
  }

  /** Runs one write. Throws `StatementFailed`. */
  async write<Answer extends { readonly warning: string | null }>(
    session: Session,
    ask: () => Promise<Answer>,
  ): Promise<Written<Answer>> {
    if (this.#standby === 'required') {
      const answer = await ask();
      return { answer, unconfirmed: unconfirmed(answer) };
    }
    await this.#prepare(session);
    const ending = setInterval(() => void this.#endWaits(), WAIT_MS);
    try {
      const answer = await ask();
      if (answer.warning !== null) this.#aloneSince ??= performance.now();
      return { answer, unconfirmed: undefined };
    } finally {
      clearInterval(ending);
    }
  }

  /** Lets the session wait for the standby, or not. */
  async #prepare(session: Session): Promise<void> {
    const isOver = performance.now() - (this.#aloneSince ?? Infinity) >= ALONE_MS;
    if (isOver) this.#aloneSince = null;
    const isAlone = this.#aloneSince !== null;
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

function unconfirmed({ warning }: { readonly warning: string | null }): string | undefined {
  return warning === null ? undefined : withoutStandby(warning);
}

/** What to do while no standby confirms writes; `said`: what PostgreSQL said. */
export function withoutStandby(said: string): string {
  return `no synchronous standby has confirmed the write: start the standby, repair its network, or name another one in synchronous_standby_names (PostgreSQL: ${said})`;
}
