import { randomBytes } from 'node:crypto';

/** Who is signed in, by the name and role of the API token. */
export interface Visitor {
  readonly name: string;
  readonly role: string;
}

interface Session {
  readonly visitor: Visitor;
  readonly endsAt: number;
  /** When its person last did something. */
  actedAt: number;
}

const SESSIONS_MAX = 1_000;
const SESSION_HOURS = 12;
export const SESSION_SECONDS = SESSION_HOURS * 3_600;
const ID_BYTES = 32;

/**
 * Sign-ins of the console, in memory: a restart ends them all. The cookie holds a random id and
 * never the token. A session ends after twelve hours, or when its person has done nothing for the
 * idle time. Bounded: the oldest sign-in makes room for the newest.
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
    this.#sessions.set(id, { visitor, endsAt: now + SESSION_SECONDS * 1_000, actedAt: now });
    return id;
  }

  /** Looking a session up does not keep it: an open page does so every two seconds by itself. */
  visitor(id: string | undefined): Visitor | undefined {
    return this.#current(id)?.visitor;
  }

  /** Notes that the person of a session did something. */
  acted(id: string | undefined): void {
    const session = this.#current(id);
    if (session !== undefined) session.actedAt = this.#now();
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
