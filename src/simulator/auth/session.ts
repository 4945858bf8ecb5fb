import { createHash, randomBytes } from 'node:crypto';
import type { Table } from '../state/table.ts';

/** Lifetimes of tokens in milliseconds, on the core's clock. The specification leaves them open. */
export const ACCESS_TOKEN_MS = 15 * 60_000;
export const REFRESH_TOKEN_MS = 30 * 24 * 3_600_000;

/** One login of a user. Its refresh token expires with the session. */
export interface Session {
  readonly sessionId: string;
  readonly clientId: string;
  /** Hex SHA-256. The core stores no token. */
  readonly refreshTokenHash: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly revoked: boolean;
}

export interface AccessToken {
  readonly accessTokenHash: string;
  /** The session that issued the token. */
  readonly refreshTokenHash: string;
  readonly expiresAt: number;
}

export interface SessionTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
}

function newToken(prefix: 'access' | 'refresh'): { token: string; hash: string } {
  const token = `${prefix}_${randomBytes(32).toString('base64url')}`;
  return { token, hash: hashToken(token) };
}

function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/**
 * Sessions of user clients (the specification, section "Session tokens"). Revoking and logging out
 * end the refresh token only. An access token stays valid until it expires, at most 15 minutes.
 */
export class SessionBook {
  readonly #sessions: Table<Session>;
  readonly #accessTokens: Table<AccessToken>;

  constructor(sessions: Table<Session>, accessTokens: Table<AccessToken>) {
    this.#sessions = sessions;
    this.#accessTokens = accessTokens;
  }

  open(clientId: string, nowMs: number): SessionTokens {
    this.#forgetExpired(nowMs);
    const refresh = newToken('refresh');
    const session: Session = {
      sessionId: hashToken(refresh.hash).slice(0, 32),
      clientId,
      refreshTokenHash: refresh.hash,
      createdAt: nowMs,
      expiresAt: nowMs + REFRESH_TOKEN_MS,
      revoked: false,
    };
    this.#sessions.put(session.refreshTokenHash, session);
    return { accessToken: this.issueAccessToken(session, nowMs), refreshToken: refresh.token };
  }

  issueAccessToken(session: Session, nowMs: number): string {
    const { token, hash } = newToken('access');
    this.#accessTokens.put(hash, {
      accessTokenHash: hash,
      refreshTokenHash: session.refreshTokenHash,
      expiresAt: nowMs + ACCESS_TOKEN_MS,
    });
    return token;
  }

  byRefreshToken(token: string, nowMs: number): Session | undefined {
    const session = this.#sessions.get(hashToken(token));
    if (session === undefined || session.revoked || nowMs >= session.expiresAt) return undefined;
    return session;
  }

  byAccessToken(token: string, nowMs: number): Session | undefined {
    const access = this.#accessTokens.get(hashToken(token));
    if (access === undefined || nowMs >= access.expiresAt) return undefined;
    return this.#sessions.get(access.refreshTokenHash);
  }

  /**
   * Revokes the refresh tokens of the matching sessions and returns the number of those that were
   * valid.
   */
  revoke(matches: (session: Session) => boolean): number {
    let revoked = 0;
    for (const session of this.#sessions.list()) {
      if (session.revoked || !matches(session)) continue;
      this.#sessions.put(session.refreshTokenHash, { ...session, revoked: true });
      revoked += 1;
    }
    return revoked;
  }

  /** Deletes expired rows. Otherwise both tables would grow with every login. */
  #forgetExpired(nowMs: number): void {
    for (const access of this.#accessTokens.list()) {
      if (nowMs >= access.expiresAt) this.#accessTokens.delete(access.accessTokenHash);
    }
    for (const session of this.#sessions.list()) {
      if (nowMs >= session.expiresAt) this.#sessions.delete(session.refreshTokenHash);
    }
  }
}
