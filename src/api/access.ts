import { createHash, timingSafeEqual } from 'node:crypto';
import type { Context, MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import { findTargetHandler } from 'hono/utils/handler';
import { answerProblem } from './problem.ts';

/**
 * Roles of a token; each role includes the earlier ones.
 *
 * | role | may |
 * |---|---|
 * | `viewer` | read everything |
 * | `crediting` | acknowledge credits |
 * | `operator` | approve, hold, release and attribute deposits; work on breaks; retry the quarantine; run a reconciliation |
 * | `admin` | change the crediting policy and an asset's decimals |
 */
export const ROLES = ['viewer', 'crediting', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** A token in the configuration: only its SHA-256, in hex. */
export interface ApiToken {
  readonly name: string;
  readonly role: Role;
  readonly sha256: string;
}

/** The caller: decisions are journalled with the token's name. */
export interface Caller {
  readonly name: string;
  readonly role: Role;
}

/** Finds the caller of a presented token. */
export type Identify = (token: string) => Caller | undefined;

/** What this API's handlers find in their context. */
export interface ApiEnv {
  /** `caller`: who is signed in at the console. Set by calls in this process, never by HTTP. */
  Bindings: { readonly caller?: Caller };
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

/** Whether a caller has this role or a higher one. */
export function mayAct(caller: Caller, role: Role): boolean {
  return ROLES.indexOf(caller.role) >= ROLES.indexOf(role);
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
          ? 'Send one of the tokens of api.tokens: Authorization: Bearer <token>.'
          : 'The token is not one of api.tokens: its SHA-256 must be in the configuration.';
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

/** The role that a call's own middleware requires, known before it runs. */
const ROLE_OF = new WeakMap<object, Role>();

/**
 * The role that a call needs, by the handlers of its route. A route that requires none needs `viewer`
 * to read and `crediting` otherwise.
 */
export function roleOf(
  handlers: readonly Parameters<typeof findTargetHandler>[0][],
  method: string,
): Role {
  for (const handler of handlers) {
    const role = ROLE_OF.get(findTargetHandler(handler));
    if (role !== undefined) return role;
  }
  return method === 'GET' || method === 'HEAD' ? 'viewer' : 'crediting';
}

function roleOfCall(context: Context): Role {
  const handlers = matchedRoutes(context).map(({ handler }) => handler);
  return roleOf(handlers, context.req.method);
}

/**
 * Refuses callers below a role. Without a role it takes the one that the call requires, so that the
 * answer names it.
 */
export function authorize(role?: Role): MiddlewareHandler<ApiEnv> {
  const handler: MiddlewareHandler<ApiEnv> = async (context, next) => {
    const caller = context.get('caller');
    const needed = role ?? roleOfCall(context);
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
