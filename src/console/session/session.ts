import { randomBytes } from 'node:crypto';
import type { Caller } from '../../api/access.ts';

/** The signed-in person: name and role of the API token. */
export type Visitor = Caller;

/** A message about the result of an action, shown once on the next page. */
export interface Message {
  readonly tone: 'good' | 'alarm';
  readonly title: string;
  readonly detail: string | null;
}

interface Session {
  readonly visitor: Visitor;
  readonly endsAt: number;
  /** When its person last acted. */
  actedAt: number;
  message: Message | null;
}

const SESSIONS_MAX = 1_000;
const SESSION_HOURS = 12;
export const SESSION_SECONDS = SESSION_HOURS * 3_600;
const ID_BYTES = 32;

/**
 * Sign-ins of the console, in memory: a restart ends all. The cookie holds a random id, never the
 * token. A session ends after twelve hours, or after the idle time without an action. Bounded:
 * evicts the oldest sign-in.
 */
export class Sessions {
  readonly #now: () => number;
  readonly #idleMsMax: number;
  readonly #sessions = new Map<string, Session>();

  /** `now`: Unix milliseconds. */
  constructor(options: { now: () => number; idleMsMax: number }) {
    this.#now = options.now;
    this.#idleMsMax = options.idleMsMax;
  }

  begin(visitor: Visitor): string {
    const [oldest] = this.#sessions.keys();
    if (oldest !== undefined && this.#sessions.size >= SESSIONS_MAX) this.#sessions.delete(oldest);
    const id = randomBytes(ID_BYTES).toString('base64url');
    const now = this.#now();
    const endsAt = now + SESSION_SECONDS * 1_000;
    this.#sessions.set(id, { visitor, endsAt, actedAt: now, message: null });
    return id;
  }

  /** A look-up does not extend a session: an open page makes one at every change. */
  visitor(id: string | undefined): Visitor | undefined {
    return this.#current(id)?.visitor;
  }

  /** Records an action of the session's person. */
  acted(id: string | undefined): void {
    const session = this.#current(id);
    if (session !== undefined) session.actedAt = this.#now();
  }

  /** Keeps a message for the person's next page. */
  leave(id: string | undefined, message: Message): void {
    const session = this.#current(id);
    if (session !== undefined) session.message = message;
  }

  /** Takes the message that was left, so that one page shows it. */
  takeMessage(id: string | undefined): Message | null {
    const session = this.#current(id);
    if (session === undefined) return null;
    const { message } = session;
    session.message = null;
    return message;
  }

  end(id: string | undefined): void {
    if (id !== undefined) this.#sessions.delete(id);
  }

  #current(id: string | undefined): Session | undefined {
    if (id === undefined) return undefined;
    const session = this.#sessions.get(id);
    if (session === undefined) return undefined;
    const now = this.#now();
    if (now < session.endsAt && now - session.actedAt < this.#idleMsMax) return session;
    this.#sessions.delete(id);
    return undefined;
  }
}
