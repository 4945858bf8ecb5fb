import { randomBytes } from 'node:crypto';

/** Who is signed in, by the name and role of the API token. */
export interface Visitor {
  readonly name: string;
  readonly role: string;
}

const SESSIONS_MAX = 1_000;
const SESSION_HOURS = 12;
export const SESSION_SECONDS = SESSION_HOURS * 3_600;
const ID_BYTES = 32;

/**
 * Sign-ins of the console, in memory: a restart ends them all. The cookie holds a random id and
 * never the token. Bounded: the oldest sign-in makes room for the newest.
 */
export class Sessions {
  readonly #now: () => number;
  readonly #sessions = new Map<string, { readonly visitor: Visitor; readonly endsAt: number }>();

  constructor(options: { now: () => number }) {
    this.#now = options.now;
  }

  begin(visitor: Visitor): string {
    const [oldest] = this.#sessions.keys();
    if (oldest !== undefined && this.#sessions.size >= SESSIONS_MAX) this.#sessions.delete(oldest);
    const id = randomBytes(ID_BYTES).toString('base64url');
    this.#sessions.set(id, { visitor, endsAt: this.#now() + SESSION_SECONDS * 1_000 });
    return id;
  }

  visitor(id: string | undefined): Visitor | undefined {
    if (id === undefined) return undefined;
    const session = this.#sessions.get(id);
    if (session === undefined) return undefined;
    if (this.#now() < session.endsAt) return session.visitor;
    this.#sessions.delete(id);
    return undefined;
  }

  end(id: string | undefined): void {
    if (id !== undefined) this.#sessions.delete(id);
  }
}
