import { createHash, timingSafeEqual } from 'node:crypto';
import type { Context, MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import { findTargetHandler } from 'hono/utils/handler';
import { answerProblem } from './problem.ts';

/**
 * What a token may do; each role may also do what those before it may.
 * `viewer`: read everything. `crediting`: acknowledge credits. `operator`: approve, hold, release
 * and attribute deposits, work on breaks, retry the quarantine, run a reconciliation.
 */
export const ROLES = ['viewer', 'crediting', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** A token as the configuration holds it: never itself, only its SHA-256 in hex. */
export interface ApiToken {
  readonly name: string;
  readonly role: Role;
  readonly sha256: string;
}

/** Who calls: the token's name is the person that decisions are journalled with. */
export interface Caller {
  readonly name: string;
  readonly role: Role;
}

/** Finds whom a presented token belongs to. */
export type Identify = (token: string) => Caller | undefined;

/** What the handlers of this API find in their context. */
export interface ApiEnv {
  Variables: { caller: Caller };
}

/**
 * Compares digests of equal length in constant time, and all of them whichever matches: neither
 * the digits nor the position of a match shows in the time that an answer takes.
 */
export function identifyBy(tokens: readonly ApiToken[]): Identify {
  const known = tokens.map(({ name, role, sha256 }) => ({
    caller: { name, role },
    digest: Buffer.from(sha256, 'hex'),
  }));
  const wrong = known.find(({ digest }) => digest.length !== 32);
  if (wrong !== undefined) {
    throw new Error(`api.tokens: sha256 of "${wrong.caller.name}" is not 64 hex digits`);
  }
  return (token) => {
    const digest = createHash('sha256').update(token).digest();
    let found: Caller | undefined;
    for (const one of known) {
      if (timingSafeEqual(one.digest, digest)) found = one.caller;
    }
    return found;
  };
}

export function mayAct(caller: Caller, role: Role): boolean {
  return ROLES.indexOf(caller.role) >= ROLES.indexOf(role);
}

function bearerToken(context: Context): string | undefined {
  const header = context.req.header('Authorization') ?? '';
  return /^Bearer +([^\s]+) *$/i.exec(header)?.[1];
}

/** Refuses calls without a valid token, before anything else of them is looked at. */
export function authenticate(identify: Identify): MiddlewareHandler<ApiEnv> {
  return async (context, next) => {
    const token = bearerToken(context);
    const caller = token === undefined ? undefined : identify(token);
    if (caller === undefined) {
      const detail =
        token === undefined
          ? 'Send one of the tokens of api.tokens: Authorization: Bearer <token>.'
          : 'The token is not one of api.tokens: its SHA-256 must stand in the configuration.';
      const challenge =
        token === undefined
          ? 'Bearer realm="counterfoil"'
          : 'Bearer realm="counterfoil", error="invalid_token"';
      const headers = { 'WWW-Authenticate': challenge };
      return answerProblem(context, { kind: 'unauthenticated', detail }, headers);
    }
    context.set('caller', caller);
    await next();
    return undefined;
  };
}

/** The role that a call asks for, by its own middleware: known before that middleware runs. */
const ROLE_OF = new WeakMap<object, Role>();

function roleOfCall(context: Context): Role | undefined {
  for (const { handler } of matchedRoutes(context)) {
    const role = ROLE_OF.get(findTargetHandler(handler));
    if (role !== undefined) return role;
  }
  return undefined;
}

/**
 * Refuses callers below a role. Without one, below that of the call itself, so that the answer names
 * the role that is needed; of a route that forgot to ask, reading needs `viewer` and every other
 * method `crediting`.
 */
export function authorize(role?: Role): MiddlewareHandler<ApiEnv> {
  const handler: MiddlewareHandler<ApiEnv> = async (context, next) => {
    const caller = context.get('caller');
    const reads = context.req.method === 'GET' || context.req.method === 'HEAD';
    const needed = role ?? roleOfCall(context) ?? (reads ? 'viewer' : 'crediting');
    if (!mayAct(caller, needed)) {
      const detail = `The token "${caller.name}" has the role ${caller.role}; this call needs ${needed} or above.`;
      return answerProblem(context, { kind: 'forbidden', detail });
    }
    await next();
    return undefined;
  };
  if (role !== undefined) ROLE_OF.set(handler, role);
  return handler;
}
