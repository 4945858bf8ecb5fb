import { readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { getRequestListener } from '@hono/node-server';
import type { Config } from '../../ops/config.ts';
import { CommandFailed } from '../terminal.ts';

/** A sender that trickles its headers holds a socket no longer than this, and until the next look. */
const HEADERS_TIME_MS_MAX = 10_000;

/** A whole request, body included; the custody service itself gives up after 10 seconds. */
const REQUEST_TIME_MS_MAX = 30_000;

/** How often senders are looked for whose time is over: Node by itself looks twice a minute. */
const LATE_LOOK_MS = 1_000;

/** Idle connections are kept longer than any proxy keeps them, so that the proxy closes first. */
const KEEP_ALIVE_MS = 75_000;

/** OpenSSL's code where a client certificate is asked for and does not come. */
const NONE_SHOWN = 'ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE';

/** While closing: how often connections that have become idle are looked for. */
const IDLE_LOOK_MS = 50;

/** While closing: how long the rest of a request is waited for. A sender that is cut tries again. */
const REST_MS_MAX = 500;

/**
 * Stands for the host of a request that names none, as HTTP/1.0 may and health checks of load balancers
 * do. Of HTTP/1.1, which must name one, Node refuses it.
 */
const HOST_OF_NONE = 'unnamed.invalid';

/** Answers a request; `env`: the same request as Node's server has it. */
export type Answering = (
  request: Request,
  env: { readonly incoming: IncomingMessage },
) => Response | Promise<Response>;

/** A server that listens. */
export interface Listener {
  readonly url: string;
  /**
   * Takes no new connections; resolves when every request that has come whole has been answered. One
   * that its sender goes on sending is cut.
   */
  close(): Promise<void>;
  /** Cuts what is still open. */
  cut(): void;
}

/** Requests that have not been answered yet; their bodies may still be on the way. */
type UnderWay = Set<IncomingMessage>;

function createServer(fetch: Answering, underWay: UnderWay, tls: Config['listen']['tls']): Server {
  const listener = getRequestListener(
    // Over HTTP/1.1 alone, it is Node's own.
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
      // With a CA of its own the listener wants a client certificate from it (mTLS).
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

/** What TLS has against a client's certificate; null where the connection failed for another reason. */
function certificateFlaw(error: Error, socket: TLSSocket): string | null {
  if ('code' in error && error.code === NONE_SHOWN) return 'none was shown';
  // Typed as an error; Node gives OpenSSL's code, or null where it found nothing.
  const flaw: unknown = socket.authorizationError;
  return typeof flaw === 'string' ? flaw : null;
}

/**
 * Listens for HTTP, or HTTPS when `listen.tls` says so. `onRefused` is told why a client's
 * certificate was not accepted.
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
 * A connection whose answer ends only now would go back to keep-alive, and nobody would close it. Nor
 * would anybody close one whose sender trickles: there is no request yet, or none that is whole.
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
