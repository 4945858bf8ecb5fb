import { setTimeout as sleep } from 'node:timers/promises';
import type { Host, JournalAddress } from '../address.ts';
import { JournalUnavailable } from '../../replicated/shared-journal.ts';
import { identityOf, identityRefusal } from '../journal-identity.ts';
import { missingRights, missingText } from '../runtime-role.ts';
import type { Session, SessionSettings } from './session.ts';
import { firstUsable } from './usable-host.ts';
import { openWritable, serverRefused } from './writable-session.ts';

/** Pauses before the next attempt, in milliseconds: the first, and the longest. */
const PAUSE_MS_MIN = 50;
const PAUSE_MS_MAX = 1_000;

/**
 * The connection to the server that takes writes. It is opened when it is first used, and again
 * after it was lost: to the next host first, because the lost one may be dead. Attempts that fail
 * are spaced by a pause that grows to a second.
 */
export class Primary {
  readonly #address: JournalAddress;
  readonly #settings: SessionSettings;
  #session: Session | undefined;
  #host = 0;
  #pauseMs = 0;
  #storeId: string | undefined;
  readonly #closing = new AbortController();

  constructor(address: JournalAddress, settings: Omit<SessionSettings, 'closing'>) {
    this.#address = address;
    this.#settings = { ...settings, closing: this.#closing.signal };
  }

  /** The open session, or a new one. Throws `JournalUnavailable` when no host can be used. */
  async session(): Promise<Session> {
    if (this.#session?.isOpen === true) return this.#session;
    await this.drop();
    if (this.#pauseMs > 0) await this.#pause();
    const { hosts } = this.#address;
    const inTurn = [...hosts.slice(this.#host), ...hosts.slice(0, this.#host)];
    try {
      this.#session = await firstUsable(inTurn, (host) => this.#open(host));
    } catch (error) {
      this.#pauseMs = Math.min(PAUSE_MS_MAX, Math.max(PAUSE_MS_MIN, this.#pauseMs * 2));
      throw error;
    }
    this.#pauseMs = 0;
    return this.#session;
  }

  /** A further session on the present host, for the caller to close. Throws `StatementFailed`. */
  async another(): Promise<Session> {
    const host = this.#address.hosts[this.#host];
    if (host === undefined) throw new Error('an address has at least one host');
    return openWritable(this.#address, host, this.#settings);
  }

  /** Ends the session, if any: its answers can no longer be matched, or its server takes no writes. */
  async drop(): Promise<void> {
    const session = this.#session;
    if (session === undefined) return;
    this.#session = undefined;
    this.#host = (this.#host + 1) % this.#address.hosts.length;
    await session.close();
  }

  /** Ends the session, and attempts to open one, now and later: a silent server holds up no end. */
  async close(): Promise<void> {
    await this.drop();
    this.#closing.abort();
  }

  async #pause(): Promise<void> {
    await sleep(this.#pauseMs, undefined, { signal: this.#closing.signal }).catch(() => undefined);
  }

  async #open(host: Host): Promise<Session> {
    if (this.#closing.signal.aborted) {
      throw new JournalUnavailable('the connection to PostgreSQL is closed');
    }
    const session = await openWritable(this.#address, host, this.#settings);
    try {
      const identity = await identityOf(session, this.#address.schema);
      const refusal = identityRefusal(identity, this.#address);
      if (refusal !== undefined) throw serverRefused(refusal);
      const { schema, user } = this.#address;
      const missing = await missingRights(session, schema);
      if (missing.length > 0) throw serverRefused(missingText(missing, user));
      if (identity.kind === 'ours') this.#assertSame(identity.storeId);
      this.#host = this.#address.hosts.indexOf(host);
      return session;
    } catch (error) {
      await session.close();
      throw error;
    }
  }

  #assertSame(storeId: string): void {
    this.#storeId ??= storeId;
    if (this.#storeId === storeId) return;
    throw serverRefused('this server holds another journal: let all hosts belong to one cluster');
  }
}
