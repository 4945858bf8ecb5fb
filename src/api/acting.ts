import type { OpenAPIHono } from '@hono/zod-openapi';
import { mayDo, type Permission } from '../domain/access/role.ts';
import { permissionOf, type ApiEnv, type Caller } from './access.ts';

/** What a call of this API asks for. */
export interface ApiRoute {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Path with its query: `/v1/deposits/dep_1/approve`. */
  readonly path: string;
}

/** A call of this API from inside the process. */
export interface ApiCall extends ApiRoute {
  /** Sent as JSON; absent: no body. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A problem of RFC 9457, as this API answers it. `detail` says what to do. */
export interface ProblemShown {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
}

/** The result of a call: the body of its answer, or the problem. */
export type ApiResult =
  | { readonly kind: 'done'; readonly body: unknown }
  | { readonly kind: 'refused'; readonly problem: ProblemShown };

/** Calls the API as a person whom the console has signed in. */
export interface Acting {
  /** Roles, checks, four eyes and the journal are those of a call over HTTP. */
  call(caller: Caller, call: ApiCall): Promise<ApiResult>;
  /**
   * The permission of the call that the caller's role lacks; null when it has it. The call itself
   * decides the rest. Throws for a call of no route.
   */
  missingPermission(caller: Caller, call: ApiRoute): Permission | null;
}

/** Stands for this process in URLs; no request leaves it. */
const ORIGIN = 'http://in-process.invalid';

function requestOf({ method, path, body, headers = {} }: ApiCall): Request {
  const json = body === undefined ? {} : { 'Content-Type': 'application/json' };
  return new Request(`${ORIGIN}${path}`, {
    method,
    headers: { ...json, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

async function resultOf(response: Response): Promise<ApiResult> {
  const isJson = response.headers.get('Content-Type')?.includes('json') === true;
  const body: unknown = isJson ? await response.json() : await response.text();
  if (response.ok) return { kind: 'done', body };
  const { title, detail } = body as ProblemShown;
  return { kind: 'refused', problem: { status: response.status, title, detail } };
}

/**
 * Calls this API without HTTP. The caller is a binding of the call, and the listener gives requests
 * from the network no such binding: no header, query or body can name a caller.
 */
export function actingOn(api: OpenAPIHono<ApiEnv>): Acting {
  return {
    call: async (caller, call) => resultOf(await api.fetch(requestOf(call), { caller })),
    missingPermission: (caller, { method, path }) => {
      const { pathname } = new URL(path, ORIGIN);
      const handlers = api.router.match(method, pathname)[0].map(([[handler]]) => handler);
      const permission = permissionOf(handlers);
      if (permission === undefined) throw new Error(`no route for ${method} ${pathname}`);
      return mayDo(caller.role, permission) ? null : permission;
    },
  };
}
