import { unauthenticated } from '../api/answer.ts';
import type { Refusal } from '../api/answer.ts';
import type { Client, ClientRegistry } from './client.ts';
import { verifySelfSignedToken } from './self-signed-token.ts';
import type { Session, SessionBook } from './session.ts';

/**
 * The credentials that an endpoint accepts: `api` a self-signed JWT or an access token, `access`
 * only the access token of a session, `refresh` only its refresh token.
 */
export type Credentials = 'api' | 'access' | 'refresh';

export type Identity =
  { readonly kind: 'authenticated'; readonly client: Client; readonly session?: Session } | Refusal;

/**
 * Finds the client of a request's `Authorization` header. Every failure is 401 `AU-1` (the
 * specification, section "Authentication").
 */
export class Authenticator {
  readonly #clients: ClientRegistry;
  readonly #sessions: SessionBook;

  constructor(clients: ClientRegistry, sessions: SessionBook) {
    this.#clients = clients;
    this.#sessions = sessions;
  }

  async identify(
    authorization: string | undefined,
    wanted: Credentials,
    nowMs: number,
  ): Promise<Identity> {
    if (authorization === undefined) return unauthenticated('Credentials are missing');
    const token = /^Bearer +([\w.~+/=-]+) *$/i.exec(authorization)?.[1];
    if (token === undefined) return unauthenticated('Authorization must be: Bearer <token>');
    // Only a JWT contains dots. Session tokens have none.
    if (token.includes('.')) {
      if (wanted !== 'api') return unauthenticated(`This call takes a session's ${wanted} token`);
      const outcome = await verifySelfSignedToken(token, this.#clients, nowMs);
      return outcome.kind === 'rejected' ? unauthenticated(outcome.message) : outcome;
    }
    const session =
      wanted === 'refresh'
        ? this.#sessions.byRefreshToken(token, nowMs)
        : this.#sessions.byAccessToken(token, nowMs);
    const client = session === undefined ? undefined : this.#clients.byId(session.clientId);
    if (session === undefined || client === undefined) {
      return unauthenticated('Token is unknown, expired, revoked, or of the wrong kind');
    }
    return { kind: 'authenticated', client, session };
  }
}
