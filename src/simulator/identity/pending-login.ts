import { createHash } from 'node:crypto';
import type { Table } from '../state/table.ts';

/** Time for a login at the identity provider in milliseconds, on the core's clock. */
export const PENDING_LOGIN_MS = 10 * 60_000;
/**
 * Logins kept. Anybody may begin one, so the number is bounded; beyond it the oldest is deleted.
 */
const PENDING_LOGINS_MAX = 1_000;

/** A login between the redirect to the identity provider and its answer. */
export interface PendingLogin {
  /** Hex SHA-256 of the `state` that the provider returns. */
  readonly stateHash: string;
  readonly provider: string;
  readonly nonce: string;
  readonly codeVerifier: string;
  /** Hex SHA-256 of the cookie that binds the login to its browser. */
  readonly browserHash: string;
  readonly expiresAt: number;
}

/** The hex SHA-256 under which a secret is stored. */
export function secretHash(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** The pending logins. Each accepts one answer of the provider. */
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

  /** Removes and returns the login with this `state`; undefined when it is unknown or expired. */
  take(state: string, nowMs: number): PendingLogin | undefined {
    const stateHash = secretHash(state);
    const login = this.#logins.get(stateHash);
    this.#logins.delete(stateHash);
    return login !== undefined && nowMs < login.expiresAt ? login : undefined;
  }
}
