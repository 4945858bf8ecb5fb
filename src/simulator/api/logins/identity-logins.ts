import { z } from '@hono/zod-openapi';
import { createHash } from 'node:crypto';
import { parse, serialize } from 'hono/utils/cookie';
import { PENDING_LOGIN_MS } from '../../identity/pending-login.ts';
import { notFound, refused, unauthenticated } from '../answer.ts';
import { endpoint } from '../endpoint.ts';
import type { Endpoint } from '../endpoint.ts';
import { sessionTokens } from './sessions.ts';
import type { Services } from '../services.ts';

const URL_LENGTH_MAX = 2048;
const CALLBACK_SUFFIX = '-callback';
/** Path of the login cookie: browsers send it to these two calls only. */
const COOKIE_PATH = '/api/v1/auth';

const common = {
  tag: 'Authentication',
  method: 'get',
  credentials: 'none',
} as const;

/** The cookie name of one login. Two logins in one browser have two cookies. */
function cookieName(state: string): string {
  return `login_${createHash('sha256').update(state).digest('hex').slice(0, 16)}`;
}

function loginCookie(state: string, secret: string, maxAgeSeconds: number): string {
  return serialize(cookieName(state), secret, {
    path: COOKIE_PATH,
    maxAge: maxAgeSeconds,
    httpOnly: true,
    // The provider's redirect is a top-level navigation from another site, which Lax allows.
    sameSite: 'Lax',
  });
}

/** The endpoints of identity-provider logins (the specification, section "Session tokens", 3). */
export function identityLoginEndpoints(services: Services): Endpoint[] {
  return [loginEndpoint(services), callbackEndpoint(services)];
}

function loginEndpoint({ loginFlow }: Services): Endpoint {
  return endpoint({
    ...common,
    path: '/auth/login',
    operation: 'beginLogin',
    summary: "Redirect to the identity provider's consent screen",
    query: z.object({
      callback_url: z.string().max(URL_LENGTH_MAX).openapi({
        description: 'One of the URLs that the core was started with.',
      }),
      idp: z.string().max(URL_LENGTH_MAX).optional().openapi({
        description: 'Name of an identity provider; the first one when left out.',
      }),
    }),
    answer: z.object({ location: z.url() }),
    redirects: true,
    handle: async ({ query: { callback_url: callbackUrl, idp }, nowMs }) => {
      const beginning = await loginFlow.begin({ callbackUrl, provider: idp, nowMs });
      switch (beginning.kind) {
        case 'begun': {
          const { url, state, browserSecret } = beginning;
          const cookie = loginCookie(state, browserSecret, PENDING_LOGIN_MS / 1000);
          const headers = { 'Set-Cookie': cookie, 'Cache-Control': 'no-store' };
          return { kind: 'redirect', location: url.href, headers };
        }
        case 'invalid':
          return refused('BR-1', beginning.message);
        case 'unavailable':
          return refused('APM-1', beginning.message);
        default:
          return beginning satisfies never;
      }
    },
  });
}

function callbackEndpoint({ clients, loginFlow, sessions }: Services): Endpoint {
  return endpoint({
    ...common,
    path: `/auth/{idp}${CALLBACK_SUFFIX}`,
    operation: 'completeLogin',
    summary: 'Complete a login; called by the identity provider after consent',
    params: z.object({
      idp: z.string().transform((segment) => segment.slice(0, -CALLBACK_SUFFIX.length)),
    }),
    query: z.looseObject({
      state: z.string().optional(),
      code: z.string().optional(),
      error: z.string().optional(),
      iss: z.string().optional().openapi({ description: 'The provider itself (RFC 9207).' }),
    }),
    answer: sessionTokens,
    handle: async ({ params, query, cookies, nowMs }) => {
      const { idp } = params;
      if (!loginFlow.knows(idp)) return notFound('Identity provider', idp);
      const { state = '' } = query;
      const outcome = await loginFlow.complete({
        provider: idp,
        query: searchParamsOf(query),
        browserSecret: parse(cookies ?? '', cookieName(state))[cookieName(state)],
        nowMs,
      });
      if (outcome.kind === 'unavailable') return refused('APM-1', outcome.message);
      if (outcome.kind === 'rejected') return unauthenticated(outcome.message);
      const client = clients.byEmail(outcome.email);
      if (client === undefined) return unauthenticated('No user has this e-mail address');
      return {
        kind: 'ok',
        status: 200,
        body: sessions.open(client.clientId, nowMs),
        headers: { 'Set-Cookie': loginCookie(state, '', 0), 'Cache-Control': 'no-store' },
      };
    },
  });
}

/**
 * The query as received. A repeated parameter stays repeated, because the protocol checks for it.
 */
function searchParamsOf(query: Readonly<Record<string, unknown>>): URLSearchParams {
  const params = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (typeof each === 'string') params.append(key, each);
    }
  }
  return params;
}
