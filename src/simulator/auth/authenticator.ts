import { unauthenticated } from '../api/answer.ts';
import type { Refusal } from '../api/answer.ts';
import type { Client, ClientRegistry } from './client.ts';
import { verifySelfSignedToken } from './self-signed-token.ts';
import type { Session, SessionBook } from './session.ts';

/**
 * The credentials an endpoint takes: `api` any that may call the API (self-signed JWT or access
 * token), `access` a session's access token only, `refresh` its refresh token only.
 */
export type Credentials = 'api' | 'access' | 'refresh';

export type Identity =
  { readonly kind: 'authenticated'; readonly client: Client; readonly session?: Session } | Refusal;

/** Tells who a request's `Authorization` header speaks for; every failure is 401 `AU-1`. */
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
    // Session tokens are opaque; only a JWT has three parts.
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
