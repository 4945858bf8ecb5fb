import { readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { getRequestListener } from '@hono/node-server';
import type { Config } from '../../ops/config.ts';
import { CommandFailed } from '../terminal.ts';

/** A sender that trickles its headers holds a socket no longer than this. */
const HEADERS_TIME_MS_MAX = 10_000;

/** A whole request, body included; the custody service itself gives up after 10 seconds. */
const REQUEST_TIME_MS_MAX = 30_000;

/** Idle connections are kept longer than any proxy keeps them, so that the proxy closes first. */
const KEEP_ALIVE_MS = 75_000;

/** While closing: how often connections that have become idle are looked for. */
const IDLE_LOOK_MS = 50;

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
  /** Takes no new connections; resolves when every request under way has been answered. */
  close(): Promise<void>;
  /** Cuts what is still open. */
  cut(): void;
}

function createServer(fetch: Answering, tls: Config['listen']['tls']): Server {
  const listener = getRequestListener(
    // Over HTTP/1.1 alone, it is Node's own.
    (request, { incoming }) => fetch(request, { incoming: incoming as IncomingMessage }),
    { hostname: HOST_OF_NONE },
  );
  const answer = (request: IncomingMessage, response: ServerResponse): void =>
    void listener(request, response);
  if (tls === undefined) return createHttpServer(answer);
  const ca = tls.caFile === undefined ? {} : { ca: readFileSync(tls.caFile) };
  return createHttpsServer(
    {
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

/** Listens for HTTP, or HTTPS when `listen.tls` says so. */
export async function listen(config: Config['listen'], fetch: Answering): Promise<Listener> {
  const server = createServer(fetch, config.tls);
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
    close: () => closeInOrder(server),
    cut: () => server.closeAllConnections(),
  };
}

/**
 * Takes no new connections and resolves when every request under way has been answered. A connection
 * whose answer ends only now would go back to keep-alive, and nobody would close it.
 */
function closeInOrder(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const again = setInterval(() => server.closeIdleConnections(), IDLE_LOOK_MS);
    server.close(() => {
      clearInterval(again);
      resolve();
    });
    server.closeIdleConnections();
  });
}
