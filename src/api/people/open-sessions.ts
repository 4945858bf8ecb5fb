import type { Caller } from '../access.ts';

/** A session of the console that has not ended. Times are Unix milliseconds. */
export interface OpenSession extends Caller {
  /** Names the session and opens nothing: the cookie holds another secret. */
  readonly sessionId: string;
  /** By a token, or at the identity provider. */
  readonly by: 'token' | 'provider';
  readonly signedInAt: number;
  readonly actedAt: number;
  readonly endsAt: number;
}

/** Whoever keeps the sessions: the console. */
export interface SessionKeeper {
  /** The newest sign-in first. */
  readonly open: () => readonly OpenSession[];
  /** Ends the session with this `sessionId`; its browser is signed out at its next request. */
  readonly endNamed: (sessionId: string) => void;
}

/** The sessions of this daemon's console. There are none before a console keeps them. */
export class OpenSessions {
  #keeper: SessionKeeper | undefined;

  /** The console is made after the API, and acts through it. */
  keptBy(keeper: SessionKeeper): void {
    this.#keeper = keeper;
  }

  list(): readonly OpenSession[] {
    return this.#keeper?.open() ?? [];
  }

  end(sessionId: string): void {
    this.#keeper?.endNamed(sessionId);
  }
}
