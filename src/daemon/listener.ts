import { readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { getRequestListener } from '@hono/node-server';
import type { Config } from '../ops/config/config.ts';
import { CommandFailed } from './process/terminal.ts';

/** Time limit for request headers, enforced at the next check. */
const HEADERS_TIME_MS_MAX = 10_000;

/** Time limit for a whole request; the custody service gives up after 10 seconds. */
const REQUEST_TIME_MS_MAX = 30_000;

/** Interval of the check for expired requests; Node's default is 30 s. */
const LATE_LOOK_MS = 1_000;

/** Keep-alive limit, longer than a proxy's, so that the proxy closes first. */
const KEEP_ALIVE_MS = 75_000;

/** OpenSSL's code for a missing client certificate. */
const NONE_SHOWN = 'ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE';

/** During shutdown: interval of the check for idle connections. */
const IDLE_LOOK_MS = 50;

/** During shutdown: time limit for the rest of a request. A sender that is cut off retries. */
const REST_MS_MAX = 500;

/**
 * Host of requests without a Host header, such as HTTP/1.0 health checks of load balancers. Node
 * refuses HTTP/1.1 requests without one.
 */
const HOST_OF_NONE = 'unnamed.invalid';

/** Answers a request. `env`: the request as Node's server has it. */
export type Answering = (
  request: Request,
  env: { readonly incoming: IncomingMessage },
) => Response | Promise<Response>;

/** A listening server. */
export interface Listener {
  readonly url: string;
  /**
   * Accepts no new connections. Resolves when every completely received request was answered. Cuts
   * requests that are still incomplete.
   */
  close(): Promise<void>;
  /** Closes all remaining connections. */
  cut(): void;
}

/** Unanswered requests; their bodies may still be arriving. */
type UnderWay = Set<IncomingMessage>;

function createServer(fetch: Answering, underWay: UnderWay, tls: Config['listen']['tls']): Server {
  const listener = getRequestListener(
    // With HTTP/1.1 alone, the object is Node's own.
    (request, { incoming }) => fetch(request, { incoming: incoming as IncomingMessage }),
    { hostname: HOST_OF_NONE },
  );
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    underWay.add(request);
    response.once('close', () => underWay.delete(request));
    void listener(request, response);
  };
  const looks = { connectionsCheckingInterval: LATE_LOOK_MS };
  if (tls === undefined) return createHttpServer(looks, answer);
  const ca = tls.caFile === undefined ? {} : { ca: readFileSync(tls.caFile) };
  return createHttpsServer(
    {
      ...looks,
      cert: readFileSync(tls.certFile),
      key: readFileSync(tls.keyFile),
      ...ca,
      // With its own CA the listener requires a client certificate (mTLS).
      requestCert: tls.caFile !== undefined,
      rejectUnauthorized: tls.caFile !== undefined,
    },
    answer,
  );
}

function remedyOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  if (code === 'EADDRINUSE') return 'stop what uses it, or change listen.port';
  if (code === 'EACCES') return 'take a port from 1024 on as listen.port';
  return 'listen.host must be an address of this machine';
}

/** Why TLS refused a client certificate; null when the connection failed for another reason. */
function certificateFlaw(error: Error, socket: TLSSocket): string | null {
  if ('code' in error && error.code === NONE_SHOWN) return 'none was shown';
  // Typed as an error, but Node gives OpenSSL's code, or null.
  const flaw: unknown = socket.authorizationError;
  return typeof flaw === 'string' ? flaw : null;
}

/**
 * Listens for HTTP, or HTTPS with `listen.tls`. `onRefused` receives the reason for a refused client
 * certificate.
 */
export async function listen(
  config: Config['listen'],
  fetch: Answering,
  onRefused: (cause: string) => void,
): Promise<Listener> {
  const underWay: UnderWay = new Set();
  const server = createServer(fetch, underWay, config.tls);
  server.on('tlsClientError', (error: Error, socket: TLSSocket) => {
    const flaw = certificateFlaw(error, socket);
    if (flaw !== null) onRefused(flaw);
  });
  server.headersTimeout = HEADERS_TIME_MS_MAX;
  server.requestTimeout = REQUEST_TIME_MS_MAX;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(config.port, config.host, () => {
      server.off('error', reject);
      resolve();
    });
  }).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    throw new CommandFailed(
      `cannot listen on ${config.host}:${config.port} (${why}): ${remedyOf(error)}`,
    );
  });
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('expected a TCP address');
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  return {
    url: `${config.tls === undefined ? 'http' : 'https'}://${host}:${bound.port}`,
    close: () => closeInOrder(server, underWay),
    cut: () => server.closeAllConnections(),
  };
}

/**
 * Closes idle connections repeatedly during shutdown: a connection whose answer ends later would
 * otherwise return to keep-alive and stay open. After a time limit also cuts connections whose
 * request is incomplete, because a slow sender would keep them open.
 */
function closeInOrder(server: Server, underWay: UnderWay): Promise<void> {
  return new Promise((resolve) => {
    const startedAt = performance.now();
    const again = setInterval(() => {
      server.closeIdleConnections();
      const waits = [...underWay].some(({ complete }) => complete);
      if (!waits && performance.now() - startedAt > REST_MS_MAX) server.closeAllConnections();
    }, IDLE_LOOK_MS);
    server.close(() => {
      clearInterval(again);
      resolve();
    });
    server.closeIdleConnections();
  });
}
