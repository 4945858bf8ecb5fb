import { createHash, timingSafeEqual } from 'node:crypto';
import type { Context, MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import { findTargetHandler } from 'hono/utils/handler';
import {
  mayDo,
  PERMISSIONS,
  rolesWith,
  type Permission,
  type Role,
} from '../domain/access/role.ts';
import type { Incoming } from './cut-off.ts';
import { answerProblem } from './problem.ts';

/** A token in the configuration: only its SHA-256, in hex. */
export interface ApiToken {
  readonly name: string;
  readonly role: Role;
  readonly sha256: string;
}

/** The caller: decisions are journalled with the name. */
export interface Caller {
  readonly name: string;
  readonly role: Role;
}

/** Finds the caller of a presented token. */
export type Identify = (token: string) => Caller | undefined;

/** What this API's handlers find in their context. */
export interface ApiEnv {
  /** `caller`: who is signed in at the console. Set by calls in this process, never by HTTP. */
  Bindings: Incoming & { readonly caller?: Caller };
  Variables: { caller: Caller };
}

/**
 * Compares all digests in constant time, whichever matches: the response time reveals neither
 * digits nor position of a match. Throws for a configured digest that is not 64 hex digits.
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

function bearerToken(context: Context): string | undefined {
  const header = context.req.header('Authorization') ?? '';
  return /^Bearer +([^\s]+) *$/i.exec(header)?.[1];
}

/** The person for whom the console calls; absent for every call over HTTP. */
function signedInCaller(context: Context<ApiEnv>): Caller | undefined {
  // `app.request` gives no bindings.
  const env: ApiEnv['Bindings'] | undefined = context.env;
  return env?.caller;
}

/** Refuses calls without a valid token before reading anything else of them. */
export function authenticate(identify: Identify): MiddlewareHandler<ApiEnv> {
  return async (context, next) => {
    const token = bearerToken(context);
    const caller = signedInCaller(context) ?? (token === undefined ? undefined : identify(token));
    if (caller === undefined) {
      const detail =
        token === undefined
          ? 'Send a token as Authorization: Bearer <token>. An admin makes one, or api.tokens names one.'
          : 'The token is unknown, replaced or revoked. Send the token itself, not its SHA-256, or ask an admin for a new one.';
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

/** The permission that a route's middleware requires, known before it runs. */
const PERMISSION_OF = new WeakMap<object, Permission>();

type Handler = Parameters<typeof findTargetHandler>[0];

/** The permission that a route needs, by its handlers; undefined when none names one. */
export function permissionOf(handlers: readonly Handler[]): Permission | undefined {
  for (const handler of handlers) {
    const permission = PERMISSION_OF.get(findTargetHandler(handler));
    if (permission !== undefined) return permission;
  }
  return undefined;
}

/** Why a caller may not call a route, with the permission and the roles that have it. */
function refusal({ name, role }: Caller, permission: Permission): string {
  const roles = rolesWith(permission);
  const whose = `${roles.length === 1 ? 'role' : 'roles'} ${roles.join(', ')}`;
  return `"${name}" has the role ${role}. This call needs the permission ${permission} (${PERMISSIONS[permission]}): ${whose}.`;
}

function authorize(permission: Permission): MiddlewareHandler<ApiEnv> {
  const handler: MiddlewareHandler<ApiEnv> = async (context, next) => {
    const caller = context.get('caller');
    if (!mayDo(caller.role, permission)) {
      return answerProblem(context, { kind: 'forbidden', detail: refusal(caller, permission) });
    }
    await next();
    return undefined;
  };
  PERMISSION_OF.set(handler, permission);
  return handler;
}

/** The security scheme of the OpenAPI document. */
export const BEARER = 'bearer';

/**
 * What a route declares about access: the check of its permission, before anything else is read, and
 * the same for the OpenAPI document, which lists the permission as a role of the scheme (OpenAPI 3.1,
 * 4.8.30) and the roles that have it.
 */
export function needs(permission: Permission) {
  return {
    middleware: authorize(permission),
    security: [{ [BEARER]: [permission] }],
    'x-permission': permission,
    'x-roles': rolesWith(permission),
  };
}

/** Throws for a route that names no permission: it must answer nobody. Unknown paths pass. */
export function refuseUnnamed(): MiddlewareHandler<ApiEnv> {
  return async (context, next) => {
    const routes = matchedRoutes(context);
    // Middleware and the answer to unknown paths take every method.
    const isKnown = routes.some(({ method }) => method !== 'ALL');
    if (isKnown && permissionOf(routes.map(({ handler }) => handler)) === undefined) {
      throw new Error(`${context.req.method} ${context.req.path} names no permission`);
    }
    await next();
  };
}
