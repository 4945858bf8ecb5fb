import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Clock } from '../../clock.ts';
import type { Authenticator } from '../../auth/authenticator.ts';
import type { StruckApiFault, Faults } from '../../control/fault.ts';
import type { Table } from '../../state/table.ts';
import { errorBodyOf, refused } from '../answer.ts';
import type { Answer, Refusal } from '../answer.ts';
import type { Caller, Endpoint, RawCall } from '../endpoint.ts';
import { countRequest } from './rate-limit.ts';
import type { RateRecord } from './rate-limit.ts';
import type { ReadView } from './read-view.ts';
import { readBody } from './request-body.ts';

export type CoreApp = OpenAPIHono<{ Bindings: HttpBindings }>;
export type NodeContext = Context<{ Bindings: HttpBindings }>;

/** The services that every request needs. */
export interface PipelineParts {
  readonly clock: Clock;
  readonly authenticator: Authenticator;
  /** The counts of the rate limit; absent when it is off. */
  readonly rates: Table<RateRecord> | undefined;
  readonly faults: Faults;
  /** Called for every bug that became a 500 `GE-1`. */
  readonly onBug: (error: unknown) => void;
  /** Resolves when every change so far is on disk; absent when the state is in memory only. */
  readonly committed: (() => Promise<void>) | undefined;
}

/**
 * Serves a request. It checks the credentials (401) and the rate limit (429), applies faults, and
 * runs the endpoint: path and query (400), permission (403), body (400), work. A refused token is
 * answered before the rate limit, so it never counts against a client.
 */
export async function serveEndpoint(
  context: NodeContext,
  endpoint: Endpoint,
  parts: PipelineParts,
): Promise<Response> {
  const nowMs = parts.clock.now();
  let caller: Caller | undefined;
  let headers: Readonly<Record<string, string>> = {};
  if (endpoint.credentials !== 'none') {
    const authorization = context.req.header('authorization');
    const identity = await parts.authenticator.identify(authorization, endpoint.credentials, nowMs);
    if (identity.kind === 'refused') return respond(context, identity, nowMs);
    caller = identity;
    const counted = countFor(identity.client.clientId, parts.rates, nowMs);
    headers = counted.headers;
    if (counted.refusal !== undefined) return respond(context, counted.refusal, nowMs, headers);
  }
  const { operation, method, path } = endpoint;
  const methodAndPath = `${method.toUpperCase()} ${path}`;
  const faults = parts.faults.strikeApi({ operation, methodAndPath });
  const early = await faultedBeforeWork(context, faults, nowMs, headers);
  if (early !== undefined) return early;
  const answer = await runEndpoint(context, endpoint, { caller, faults, nowMs, parts });
  if (faults.some(({ fault }) => fault === 'truncate')) {
    // `durableAnswers` does not see this answer, so it waits for the disk here.
    await parts.committed?.();
    return sendTruncated(context, answer, nowMs);
  }
  return respond(context, answer, nowMs, headers);
}

/**
 * Answers 404 for a path or method without an endpoint. The request counts for the client if its
 * token is valid.
 */
export async function serveUnknown(
  context: NodeContext,
  parts: Pick<PipelineParts, 'clock' | 'authenticator' | 'rates'>,
): Promise<Response> {
  const nowMs = parts.clock.now();
  const { method, path } = context.req;
  const unknown = refused('NE-1', `No such call: ${method} ${path}`);
  const authorization = context.req.header('authorization');
  const identity = await parts.authenticator.identify(authorization, 'api', nowMs);
  if (identity.kind === 'refused') return respond(context, unknown, nowMs);
  const { refusal, headers } = countFor(identity.client.clientId, parts.rates, nowMs);
  return respond(context, refusal ?? unknown, nowMs, headers);
}

/**
 * Counts a request of a client. Returns a refusal when the client exceeds a limit (the
 * specification, section "Limits").
 */
function countFor(
  clientId: string,
  rates: Table<RateRecord> | undefined,
  nowMs: number,
): { refusal: Refusal | undefined; headers: Readonly<Record<string, string>> } {
  if (rates === undefined) return { refusal: undefined, headers: {} };
  const { record, allowed, headers } = countRequest(clientId, rates.get(clientId), nowMs);
  rates.put(clientId, record);
  return { refusal: allowed ? undefined : refused('RL-1', 'Rate limit exceeded'), headers };
}

/** Serves a request of the control port: no credentials, no rate limit, no faults. */
export async function serveLocally(
  context: NodeContext,
  endpoint: Endpoint,
  parts: Pick<PipelineParts, 'clock' | 'onBug'>,
): Promise<Response> {
  const nowMs = parts.clock.now();
  const answer = await runEndpoint(context, endpoint, {
    caller: undefined,
    faults: [],
    nowMs,
    parts,
  });
  return respond(context, answer, nowMs);
}

async function runEndpoint(
  context: NodeContext,
  endpoint: Endpoint,
  options: {
    caller: Caller | undefined;
    faults: readonly StruckApiFault[];
    nowMs: number;
    parts: Pick<PipelineParts, 'onBug'>;
  },
): Promise<Answer> {
  const call: RawCall = {
    caller: options.caller,
    params: context.req.param(),
    query: queryOf(context),
    cookies: context.req.header('cookie'),
    bodyText: () => readBody(context.req.raw),
    view: viewOf(options.faults),
    nowMs: options.nowMs,
  };
  try {
    return await endpoint.run(call);
  } catch (error) {
    options.parts.onBug(error);
    return refused('GE-1', 'Internal server error');
  }
}

function queryOf(context: NodeContext): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = {};
  for (const [key, values] of Object.entries(context.req.queries())) {
    const [first] = values;
    query[key] = values.length === 1 && first !== undefined ? first : values;
  }
  return query;
}

function viewOf(faults: readonly StruckApiFault[]): ReadView {
  const struck = new Set(faults.map(({ fault }) => fault));
  const drift = faults.find(({ fault }) => fault === 'page-drift');
  return {
    omitBalanceChanges: struck.has('omit-balance-changes'),
    stale: struck.has('stale'),
    // The drift alternates, so that a client that reads until nothing changes sees every row.
    drift: driftOf(drift?.strike),
  };
}

/** Alternates: a row was added (the next page repeats one) or removed (it skips one). */
function driftOf(strike: number | undefined): -1 | 0 | 1 {
  if (strike === undefined) return 0;
  return strike % 2 === 1 ? -1 : 1;
}

/** Applies the faults that answer without running the endpoint. */
async function faultedBeforeWork(
  context: NodeContext,
  faults: readonly StruckApiFault[],
  nowMs: number,
  headers: Readonly<Record<string, string>>,
): Promise<Response | undefined> {
  for (const { fault, errorCode } of faults) {
    switch (fault) {
      case 'error': {
        if (errorCode === 'RL-1') return limited(context, nowMs, headers);
        const refusal = refused(errorCode ?? 'GE-1', 'Failure injected by the fault plan');
        return respond(context, refusal, nowMs, headers);
      }
      case '429':
        return limited(context, nowMs, headers);
      case 'reset':
        context.env.incoming.socket.resetAndDestroy();
        return RESPONSE_ALREADY_SENT;
      case 'hang':
        // Waits until the caller or the core closes the connection.
        await new Promise((resolve) => context.env.outgoing.once('close', resolve));
        return RESPONSE_ALREADY_SENT;
      case 'truncate':
      case 'stale':
      case 'omit-balance-changes':
      case 'page-drift':
        break;
      default:
        fault satisfies never;
    }
  }
  return undefined;
}

/** Answers 429 for an injected fault: a limit for one second, with the headers of a real one. */
function limited(
  context: NodeContext,
  nowMs: number,
  headers: Readonly<Record<string, string>>,
): Response {
  const refusal = refused('RL-1', 'Rate limit exceeded (injected by the fault plan)');
  return respond(context, refusal, nowMs, {
    ...headers,
    'X-RateLimit-Remaining': '0',
    'X-RateLimit-Reset': String(Math.ceil(nowMs / 1000) + 1),
    'Retry-After': '1',
  });
}

/** Announces the whole body and sends half of it. The request itself has taken effect. */
function sendTruncated(context: NodeContext, answer: Answer, nowMs: number): Response {
  const { status, body, headers } = rendered(context, answer, nowMs);
  const bytes = Buffer.from(JSON.stringify(body));
  const { outgoing } = context.env;
  outgoing.writeHead(status, {
    ...headers,
    'Content-Type': 'application/json',
    'Content-Length': bytes.byteLength,
  });
  outgoing.write(bytes.subarray(0, Math.floor(bytes.byteLength / 2)), () => {
    outgoing.destroy();
  });
  return RESPONSE_ALREADY_SENT;
}

function rendered(
  context: NodeContext,
  answer: Answer,
  nowMs: number,
): { status: number; body: unknown; headers: Readonly<Record<string, string>> } {
  switch (answer.kind) {
    case 'ok':
      return { status: answer.status, body: answer.body, headers: answer.headers ?? {} };
    case 'redirect': {
      const { location, headers } = answer;
      return { status: 302, body: { location }, headers: { ...headers, Location: location } };
    }
    case 'refused': {
      const body = errorBodyOf(answer, `${context.req.method} ${context.req.path}`, nowMs);
      return { status: body.statusCode, body, headers: answer.headers ?? {} };
    }
    default:
      return answer satisfies never;
  }
}

/** Turns an answer into an HTTP response. */
export function respond(
  context: NodeContext,
  answer: Answer,
  nowMs: number,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const { status, body, headers: own } = rendered(context, answer, nowMs);
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'Content-Type': 'application/json', ...own, ...headers },
  });
}
