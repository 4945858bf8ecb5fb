import { createHash, randomBytes } from 'node:crypto';
import type { Caller } from '../../api/access.ts';
import type { OpenSession, SessionKeeper } from '../../api/people/open-sessions.ts';
import type { Message } from '../../pages/parts/notice.tsx';
import type { Credential, SessionFile, StoredSession } from './session-file.ts';

interface Session extends StoredSession {
  /** When its person last acted. */
  actedAt: number;
  message: Message | null;
}

interface SessionOfCaller {
  readonly session: Session;
  readonly caller: Caller;
}

const SESSIONS_MAX = 1_000;
/** A session ends so long after its sign-in. */
export const SESSION_HOURS = 12;
export const SESSION_SECONDS = SESSION_HOURS * 3_600;
const ID_BYTES = 32;
const NAME_CHARACTERS = 16;

/** Actions change the file at most this often; a crash forgets no more of them. */
const WRITTEN_EVERY_MS = 30_000;

/** Under which a session is kept: nobody who reads the file can use it. */
function digestOf(id: string): string {
  return createHash('sha256').update(id).digest('hex');
}

/** What pages and the journal call a session: a part of its digest, from which no id follows. */
function nameOf(digest: string): string {
  return `ses_${digest.slice(0, NAME_CHARACTERS)}`;
}

export interface SessionsOptions {
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly idleMsMax: number;
  /** Whom a credential stands for now; undefined once it is revoked. */
  readonly callerOf: (credential: Credential) => Caller | undefined;
  /** Keeps sessions over a restart; absent: a restart ends all. */
  readonly file?: SessionFile | undefined;
}

/**
 * Sign-ins of the console. The cookie holds a random id, never the token. A session ends after twelve
 * hours, after the idle time without an action, and when its token is revoked or its group has no
 * role any more. Bounded: evicts the oldest sign-in.
 */
export class Sessions implements SessionKeeper {
  readonly #options: SessionsOptions;
  readonly #sessions: Map<string, Session>;
  #writtenAt = Number.NEGATIVE_INFINITY;

  constructor(options: SessionsOptions) {
    this.#options = options;
    const kept = options.file?.read() ?? [];
    this.#sessions = new Map(
      kept.slice(-SESSIONS_MAX).map((one) => [one.digest, { ...one, message: null }]),
    );
  }

  begin(credential: Credential): string {
    const [oldest] = this.#sessions.keys();
    if (oldest !== undefined && this.#sessions.size >= SESSIONS_MAX) this.#sessions.delete(oldest);
    const id = randomBytes(ID_BYTES).toString('base64url');
    const digest = digestOf(id);
    const now = this.#options.now();
    const endsAt = now + SESSION_SECONDS * 1_000;
    this.#sessions.set(digest, { digest, credential, endsAt, actedAt: now, message: null });
    this.#write();
    return id;
  }

  /** A look-up does not extend a session: an open page makes one at every change. */
  visitor(id: string | undefined): Caller | undefined {
    return this.#current(id)?.caller;
  }

  /** Records an action of the session's person. */
  acted(id: string | undefined): void {
    const session = this.#current(id)?.session;
    if (session === undefined) return;
    const now = this.#options.now();
    session.actedAt = now;
    if (Math.abs(now - this.#writtenAt) >= WRITTEN_EVERY_MS) this.#write();
  }

  /** Keeps a message for the person's next page. */
  leave(id: string | undefined, message: Message): void {
    const session = this.#current(id)?.session;
    if (session !== undefined) session.message = message;
  }

  /** Takes the message that was left, so that one page shows it. */
  takeMessage(id: string | undefined): Message | null {
    const session = this.#current(id)?.session;
    if (session === undefined) return null;
    const { message } = session;
    session.message = null;
    return message;
  }

  end(id: string | undefined): void {
    if (id !== undefined) this.#forget(digestOf(id));
  }

  /** Every session that is open now, the newest sign-in first. */
  open(): readonly OpenSession[] {
    return [...this.#sessions.keys()].toReversed().flatMap((digest) => {
      const open = this.#openAt(digest);
      if (open === undefined) return [];
      const { caller, session } = open;
      const { credential, actedAt, endsAt } = session;
      const signedInAt = endsAt - SESSION_SECONDS * 1_000;
      return [
        { ...caller, sessionId: nameOf(digest), by: credential.kind, signedInAt, actedAt, endsAt },
      ];
    });
  }

  /** Ends the session that `open` names so. */
  endNamed(sessionId: string): void {
    const digest = [...this.#sessions.keys()].find((one) => nameOf(one) === sessionId);
    if (digest !== undefined) this.#forget(digest);
  }

  #forget(digest: string): void {
    if (this.#sessions.delete(digest)) this.#write();
  }

  #current(id: string | undefined): SessionOfCaller | undefined {
    return id === undefined ? undefined : this.#openAt(digestOf(id));
  }

  /** A session that has not ended, with its person. */
  #openAt(digest: string): SessionOfCaller | undefined {
    const session = this.#sessions.get(digest);
    if (session === undefined) return undefined;
    const { now, idleMsMax, callerOf } = this.#options;
    const at = now();
    const isOpen = at < session.endsAt && at - session.actedAt < idleMsMax;
    const caller = isOpen ? callerOf(session.credential) : undefined;
    if (caller !== undefined) return { session, caller };
    this.#sessions.delete(digest);
    return undefined;
  }

  #write(): void {
    this.#writtenAt = this.#options.now();
    this.#options.file?.write(
      [...this.#sessions.values()].map(({ message: _, ...stored }) => stored),
    );
  }
}
