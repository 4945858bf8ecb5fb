import { getRequestListener, RequestError } from '@hono/node-server';
import type { HttpBindings } from '@hono/node-server';
import { createServer, STATUS_CODES } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorBodyOf, refused } from './api/answer.ts';
import type { Refusal } from './api/answer.ts';

/**
 * Keep-alive limit, longer than a client's: a request on a connection that the server closes at the
 * same moment is reset.
 */
const KEEP_ALIVE_MS = 75_000;

export type Fetch = (request: Request, environment: HttpBindings) => Response | Promise<Response>;

interface FetchServerParts {
  readonly fetch: Fetch;
  /** Core time, Unix epoch milliseconds. */
  readonly now: () => number;
  /** Called with every error that `fetch` threw. */
  readonly onBug: (error: unknown) => void;
}

/**
 * Makes an HTTP server that passes valid HTTP requests to `fetch`. It answers invalid ones itself
 * with 400 `BR-1`, so that every failure has the error body of the specification (section
 * "Errors"); that section has no 408, 417 or 431. Every answer carries the core's time as its
 * `Date`.
 */
export function createFetchServer(parts: FetchServerParts): Server {
  const { now, onBug } = parts;
  const answering = new WeakMap<Duplex, ServerResponse>();
  const fail = (refusal: Refusal, endpoint: string): Response => {
    const body = errorBodyOf(refusal, endpoint, now());
    return Response.json(body, { status: body.statusCode });
  };
  const answer: Fetch = async (request, environment) => {
    const { incoming, outgoing } = environment;
    let response: Response;
    try {
      response = await parts.fetch(request, environment);
    } catch (error) {
      onBug(error);
      response = fail(refused('GE-1', 'Internal server error'), endpointOf(incoming));
    }
    // A slow request ends at a later time than it began.
    if (!outgoing.headersSent) outgoing.setHeader('Date', httpDate(now()));
    return response;
  };
  const listen = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    answering.set(incoming.socket, outgoing);
    outgoing.setHeader('Date', httpDate(now()));
    const serve = getRequestListener((request) => answer(request, { incoming, outgoing }), {
      errorHandler: (error) => {
        if (!(error instanceof RequestError)) onBug(error);
        return fail(unreadable(error), endpointOf(incoming));
      },
    });
    void serve(incoming, outgoing);
  };
  // With `requireHostHeader`, Node.js would answer a request without a host with an empty body.
  const server = createServer(
    { requireHostHeader: false, keepAliveTimeout: KEEP_ALIVE_MS },
    listen,
  );
  // An unknown expectation is no reason to refuse (RFC 9110, section 10.1.1).
  server.on('checkExpectation', listen);
  server.on('connect', (incoming: IncomingMessage, socket: Duplex) => {
    const endpoint = endpointOf(incoming);
    endWith(socket, refused('NE-1', `No such call: ${endpoint}`), { endpoint, nowMs: now() });
  });
  server.on('clientError', (error: NodeJS.ErrnoException & { rawPacket?: Buffer }, socket) => {
    // The answer has begun, or nobody can read one.
    if (!socket.writable || answering.get(socket)?.headersSent === true) socket.destroy();
    else endWith(socket, unreadable(error), { endpoint: firstLine(error.rawPacket), nowMs: now() });
  });
  return server;
}

function unreadable(error: unknown): Refusal {
  const cause = error instanceof Error ? error.message : String(error);
  return refused('BR-1', `The request is not valid HTTP: ${cause}`);
}

function httpDate(nowMs: number): string {
  return new Date(nowMs).toUTCString();
}

/**
 * `<METHOD> <path>` for the error body (the specification, section "Errors"); the path has no
 * query.
 */
function endpointOf({ method = '', url = '' }: IncomingMessage): string {
  return `${method} ${url.replace(/\?.*$/s, '')}`;
}

/** `<METHOD> <path>` of a request that could not be parsed. */
function firstLine(packet: Buffer | undefined): string {
  const read = /^([A-Z]{1,20}) ([^\s?]{1,2000})/.exec(packet?.toString('latin1') ?? '');
  return read === null ? 'UNKNOWN /' : `${read[1]} ${read[2]}`;
}

/** Writes an answer to a socket without a response object, and closes it. */
function endWith(
  socket: Duplex,
  refusal: Refusal,
  { endpoint, nowMs }: { endpoint: string; nowMs: number },
): void {
  const body = errorBodyOf(refusal, endpoint, nowMs);
  const text = JSON.stringify(body);
  const head = [
    `HTTP/1.1 ${body.statusCode} ${STATUS_CODES[body.statusCode] ?? ''}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(text)}`,
    `Date: ${httpDate(nowMs)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`);
}
