import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Clock } from '../clock.ts';
import type { Authenticator } from '../auth/authenticator.ts';
import type { StruckApiFault, Faults } from '../control/fault.ts';
import type { Table } from '../state/table.ts';
import { errorBodyOf, refused } from './answer.ts';
import type { Answer, Refusal } from './answer.ts';
import type { Caller, Endpoint, RawCall } from './endpoint.ts';
import { countRequest } from './rate-limit.ts';
import type { RateRecord } from './rate-limit.ts';
import type { ReadView } from './read-view.ts';
import { readBody } from './request-body.ts';

export type CoreApp = OpenAPIHono<{ Bindings: HttpBindings }>;
export type NodeContext = Context<{ Bindings: HttpBindings }>;

/** What every request passes through. */
export interface PipelineParts {
  readonly clock: Clock;
  readonly authenticator: Authenticator;
  /** Absent when clients may call without limit. */
  readonly rates: Table<RateRecord> | undefined;
  readonly faults: Faults;
  /** Told of every bug that became a 500 `GE-1`. */
  readonly onBug: (error: unknown) => void;
  /** Resolves when every change so far is on disk; absent when the core is memory only. */
  readonly committed: (() => Promise<void>) | undefined;
}

/**
 * One request through an endpoint: credentials (401), rate limit (429), faults, then what the
 * endpoint does itself (`endpoint`): path and query (400), permission (403), body (400), work. A
 * refused token is answered before the rate limit, so it never counts against a client.
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
    // This one goes around the place where all other answers wait for the disk.
    await parts.committed?.();
    return sendTruncated(context, answer, nowMs);
  }
  return respond(context, answer, nowMs, headers);
}

/** A path or method that no endpoint has: 404 for everybody, counted for the client whose token is valid. */
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

/** Counts a request of a client; `refusal` where it is one too many. */
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

/** A request of the control port: no credentials, no rate limit, no faults. */
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
    // By turns, so that a reader who reads again until nothing changes gets to see every row.
    drift: driftOf(drift?.strike),
  };
}

/** A row arrived (the next page repeats one) or moved away (it skips one), by turns. */
function driftOf(strike: number | undefined): -1 | 0 | 1 {
  if (strike === undefined) return 0;
  return strike % 2 === 1 ? -1 : 1;
}

/** Faults that answer in the place of the endpoint: nothing of the request takes effect. */
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
        // Until the caller gives up or the core stops; both close the connection.
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

/** A limit that nobody reached: for a second, and with the headers of a true one. */
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

/** Announces the whole body and sends half of it; the work itself has taken effect. */
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

/** The one place where an answer becomes HTTP. */
export function respond(
  context: NodeContext,
  answer: Answer | Refusal,
  nowMs: number,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const { status, body, headers: own } = rendered(context, answer, nowMs);
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'Content-Type': 'application/json', ...own, ...headers },
  });
}
