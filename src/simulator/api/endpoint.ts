import { z } from '@hono/zod-openapi';
import type { Client } from '../auth/client.ts';
import type { Credentials } from '../auth/authenticator.ts';
import type { Session } from '../auth/session.ts';
import { refused } from './answer.ts';
import type { Answer, Refusal } from './answer.ts';
import type { ReadView } from './request/read-view.ts';
import { BODY_DEPTH_MAX, isTooDeep } from './request/request-body.ts';

/** The authenticated caller; absent on public endpoints. */
export interface Caller {
  readonly client: Client;
  readonly session?: Session;
}

/** A request before validation, as the pipeline passes it to an endpoint. */
export interface RawCall {
  readonly caller: Caller | undefined;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | string[]>>;
  /** The `Cookie` header; only logins at an identity provider use one. */
  readonly cookies: string | undefined;
  /** Returns the body text. Only endpoints with a body call it. */
  readonly bodyText: () => Promise<string>;
  readonly view: ReadView;
  readonly nowMs: number;
}

/** A validated request. */
export interface Call<Params, Query, Body> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly view: ReadView;
  readonly nowMs: number;
  readonly cookies: string | undefined;
  readonly caller: Caller | undefined;
  /** The authenticated client. Throws on public endpoints. */
  readonly client: Client;
}

/** Schema of the path parameters, query or body of a call that has none. */
export const NOTHING = z.object({});
type Nothing = typeof NOTHING;

export interface EndpointDefinition<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
> {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Path below the prefix, parameters in braces. */
  readonly path: string;
  /** Name of the operation in the OpenAPI document and for faults. */
  readonly operation: string;
  readonly summary: string;
  readonly tag: string;
  /** `none` for public calls. */
  readonly credentials: Credentials | 'none';
  /** A call without path parameters, query or body leaves the schema out. */
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  /** Schema of the successful answer, for the document. */
  readonly answer: z.ZodType;
  /** Whether the call can create a resource; it then answers 201 beside 200. */
  readonly creates?: boolean;
  /** Whether the call answers with a redirect. Its JSON body repeats the address. */
  readonly redirects?: boolean;
  /** Checks permissions, after the path and query and before the body. */
  readonly authorize?: (
    client: Client,
    params: z.output<Params>,
    query: z.output<Query>,
  ) => Refusal | undefined;
  readonly handle: (
    call: Call<z.output<Params>, z.output<Query>, z.output<Body>>,
  ) => Answer | Promise<Answer>;
}

/** An endpoint without its type parameters, for the router and the OpenAPI document. */
export interface Endpoint extends Required<
  Omit<EndpointDefinition<z.ZodObject, z.ZodObject, z.ZodType>, 'authorize' | 'handle'>
> {
  readonly run: (call: RawCall) => Promise<Answer>;
}

/**
 * Describes validation errors with their paths. For a union it describes the alternative with the
 * fewest errors.
 */
function issueText(
  issues: readonly z.core.$ZodIssue[],
  within: readonly PropertyKey[] = [],
): string {
  return issues
    .map((issue) => {
      const path = [...within, ...issue.path];
      if (issue.code === 'invalid_union' && issue.errors.length > 0) {
        const [nearest = []] = issue.errors.toSorted((a, b) => a.length - b.length);
        return issueText(nearest, path);
      }
      return path.length === 0 ? issue.message : `${path.map(String).join('.')}: ${issue.message}`;
    })
    .join('; ');
}

/**
 * Parameters that narrow a list. A misspelt one must be refused: if it were ignored, the caller
 * would read the wrong rows as the right ones.
 */
const NARROWING_PARAMETER = /^(?:filter|relations|search)/;

/** Returns a list parameter that this call does not offer, or undefined. */
function unofferedParameter(
  { method, credentials, query }: { method: string; credentials: string; query: z.ZodObject },
  given: RawCall['query'],
): string | undefined {
  // Public calls accept any parameter: an identity provider may add some to its callback.
  if (method !== 'get' || credentials === 'none') return undefined;
  const isOffered = (name: string): boolean => Object.hasOwn(query.shape, name);
  return Object.keys(given).find((name) => NARROWING_PARAMETER.test(name) && !isOffered(name));
}

/** zod silently drops a `__proto__` key, and an unchecked value must not be accepted. */
function refuseProto(key: string, value: unknown): unknown {
  if (key === '__proto__') throw new SyntaxError('a key of this name is never valid');
  return value;
}

async function readJson(
  bodyText: () => Promise<string>,
): Promise<{ kind: 'ok'; value: unknown } | Refusal> {
  try {
    const text = await bodyText();
    if (isTooDeep(text)) {
      return refused('BR-2', `Request body must not nest deeper than ${BODY_DEPTH_MAX} levels`);
    }
    return { kind: 'ok', value: JSON.parse(text, refuseProto) as unknown };
  } catch {
    return refused('BR-1', 'Request body is not valid JSON');
  }
}

/**
 * Makes an endpoint that validates its requests (the specification, section "Errors"). Invalid
 * query or path parameters and a body that is not JSON are 400 `BR-1`. A body that nests too deeply
 * or does not match its schema is 400 `BR-2`.
 */
export function endpoint<
  Params extends z.ZodObject = Nothing,
  Query extends z.ZodObject = Nothing,
  Body extends z.ZodType = Nothing,
>(definition: EndpointDefinition<Params, Query, Body>): Endpoint {
  const { authorize, handle, creates = false, redirects = false, ...described } = definition;
  // The type of a schema that is left out is `Nothing`.
  const params = (definition.params ?? NOTHING) as Params;
  const query = (definition.query ?? NOTHING) as Query;
  const body = (definition.body ?? NOTHING) as Body;
  const run = async (raw: RawCall): Promise<Answer> => {
    const { caller, cookies, view, nowMs } = raw;
    const readParams = params.safeParse(raw.params);
    if (!readParams.success) return refused('BR-1', issueText(readParams.error.issues));
    const readQuery = query.safeParse(raw.query);
    if (!readQuery.success) return refused('BR-1', issueText(readQuery.error.issues));
    const unoffered = unofferedParameter({ ...described, query }, raw.query);
    if (unoffered !== undefined)
      return refused('BR-1', `${unoffered}: is not offered by this call`);
    if (authorize !== undefined && caller !== undefined) {
      const refusal = authorize(caller.client, readParams.data, readQuery.data);
      if (refusal !== undefined) return refusal;
    }
    const json =
      definition.body === undefined
        ? { kind: 'ok' as const, value: {} }
        : await readJson(raw.bodyText);
    if (json.kind === 'refused') return json;
    const readBody = body.safeParse(json.value);
    if (!readBody.success) return refused('BR-2', issueText(readBody.error.issues));
    return handle({
      params: readParams.data,
      query: readQuery.data,
      body: readBody.data,
      view,
      nowMs,
      cookies,
      caller,
      get client(): Client {
        if (caller === undefined) throw new Error(`${definition.operation} has no caller`);
        return caller.client;
      },
    });
  };
  return { ...described, params, query, body, creates, redirects, run };
}
