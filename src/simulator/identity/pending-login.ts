import { createHash } from 'node:crypto';
import type { Table } from '../state/table.ts';

/** How long a user may take at the identity provider, by the core's clock. */
export const PENDING_LOGIN_MS = 10 * 60_000;
/** Anybody may begin a login, so what is kept of them is bounded; the oldest give way. */
const PENDING_LOGINS_MAX = 1_000;

/** A login that has gone to the identity provider and has not come back. */
export interface PendingLogin {
  /** Hex SHA-256 of the `state` that the provider brings back. */
  readonly stateHash: string;
  readonly provider: string;
  readonly nonce: string;
  readonly codeVerifier: string;
  /** Hex SHA-256 of the cookie that ties the login to the browser that began it. */
  readonly browserHash: string;
  readonly expiresAt: number;
}

export function secretHash(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Logins under way, each good for one answer of the provider. */
export class PendingLogins {
  readonly #logins: Table<PendingLogin>;

  constructor(logins: Table<PendingLogin>) {
    this.#logins = logins;
  }

  add(login: PendingLogin, nowMs: number): void {
    for (const { stateHash, expiresAt } of this.#logins.list()) {
      if (nowMs < expiresAt && this.#logins.size < PENDING_LOGINS_MAX) break;
      this.#logins.delete(stateHash);
    }
    this.#logins.put(login.stateHash, login);
  }

  /** The login of this state, which is spent by asking for it. */
  take(state: string, nowMs: number): PendingLogin | undefined {
    const stateHash = secretHash(state);
    const login = this.#logins.get(stateHash);
    this.#logins.delete(stateHash);
    return login !== undefined && nowMs < login.expiresAt ? login : undefined;
  }
}
