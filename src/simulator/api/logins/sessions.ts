import { z } from '@hono/zod-openapi';
import { ok, unauthenticated } from '../answer.ts';
import { endpoint } from '../endpoint.ts';
import type { Caller, Endpoint } from '../endpoint.ts';
import type { Services } from '../services.ts';
import type { Session } from '../../auth/session.ts';

const EMAIL_LENGTH_MAX = 254;
const tag = 'Authentication';
const email = z
  .string()
  .min(3)
  .max(EMAIL_LENGTH_MAX)
  .regex(/^[^\s@]+@[^\s@]+$/, 'is not an e-mail address');
export const sessionTokens = z
  .object({ accessToken: z.string(), refreshToken: z.string() })
  .openapi('Tokens');
const revokedCount = z.object({ revoked: z.int() }).openapi('Revoked');

/** The session of the caller's token. The pipeline has checked the kind of the token. */
function sessionOf(caller: Caller | undefined): Session {
  if (caller?.session === undefined) throw new Error('a session token without a session');
  return caller.session;
}

/**
 * The endpoints of login codes and session tokens (the specification, section "Session tokens").
 */
export function sessionEndpoints(services: Services): Endpoint[] {
  return [
    ...loginEndpoints(services),
    ...refreshTokenEndpoints(services),
    ...accessTokenEndpoints(services),
  ];
}

function loginEndpoints({ clients, loginCodes, sessions }: Services): Endpoint[] {
  const common = {
    tag,
    method: 'post',
    credentials: 'none',
  } as const;
  return [
    endpoint({
      ...common,
      path: '/auth/login-code/request',
      operation: 'requestLoginCode',
      summary: 'Send a one-time login code by e-mail',
      body: z.object({ email }).openapi('LoginCodeRequest'),
      answer: z.object({ status: z.literal('sent') }),
      handle: ({ body, nowMs }) => {
        // An unknown address gets the same answer, so that the call does not reveal who is a user.
        if (clients.byEmail(body.email) !== undefined) loginCodes.send(body.email, nowMs);
        return ok({ status: 'sent' });
      },
    }),
    endpoint({
      ...common,
      path: '/auth/login-code/verify',
      operation: 'verifyLoginCode',
      summary: 'Exchange a login code for session tokens',
      body: z.object({ email, code: z.string().max(32) }).openapi('LoginCodeVerification'),
      answer: sessionTokens,
      handle: ({ body, nowMs }) => {
        const client = clients.byEmail(body.email);
        if (client === undefined || !loginCodes.redeem(body.email, body.code, nowMs)) {
          return unauthenticated('Login code is wrong, used or expired');
        }
        return ok(sessions.open(client.clientId, nowMs));
      },
    }),
  ];
}

function refreshTokenEndpoints({ sessions }: Services): Endpoint[] {
  return [
    endpoint({
      tag,
      method: 'post',
      path: '/auth/refresh',
      operation: 'refreshSession',
      summary: 'A new access token for a refresh token',
      credentials: 'refresh',
      answer: z.object({ accessToken: z.string() }),
      handle: ({ caller, nowMs }) =>
        ok({ accessToken: sessions.issueAccessToken(sessionOf(caller), nowMs) }),
    }),
    endpoint({
      tag,
      method: 'post',
      path: '/auth/revoke',
      operation: 'revokeSession',
      summary: 'Revoke this refresh token',
      credentials: 'refresh',
      answer: revokedCount,
      handle: ({ caller }) => {
        const { sessionId } = sessionOf(caller);
        return ok({ revoked: sessions.revoke((session) => session.sessionId === sessionId) });
      },
    }),
  ];
}

function accessTokenEndpoints({ sessions }: Services): Endpoint[] {
  return [
    endpoint({
      tag,
      method: 'post',
      path: '/auth/revoke-all',
      operation: 'revokeAllSessions',
      summary: 'Revoke every refresh token of the client',
      credentials: 'access',
      answer: revokedCount,
      handle: ({ client }) =>
        ok({ revoked: sessions.revoke((session) => session.clientId === client.clientId) }),
    }),
    endpoint({
      tag,
      method: 'get',
      path: '/auth/session',
      operation: 'getSession',
      summary: 'The current session',
      credentials: 'access',
      answer: z.looseObject({ sessionId: z.string(), clientId: z.string() }).openapi('Session'),
      handle: ({ caller, client }) => {
        const { sessionId, createdAt, expiresAt, revoked } = sessionOf(caller);
        const { clientId, name, type, email: address, permissions } = client;
        return ok({
          sessionId,
          clientId,
          name,
          type,
          email: address,
          permissions,
          createdAt: new Date(createdAt).toISOString(),
          expiresAt: new Date(expiresAt).toISOString(),
          revoked,
        });
      },
    }),
    endpoint({
      tag,
      method: 'post',
      path: '/auth/logout',
      operation: 'logout',
      summary: "Revoke the current session's refresh token",
      credentials: 'access',
      answer: revokedCount,
      handle: ({ caller }) => {
        const { sessionId } = sessionOf(caller);
        return ok({ revoked: sessions.revoke((session) => session.sessionId === sessionId) });
      },
    }),
  ];
}
