import { createServer as createHttpServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https';
import { Server as TcpServer, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { getRequestListener } from '@hono/node-server';
import { UNIX_PEER } from '../../ops/config/certificate-form.ts';
import { bind, type Address } from './bind.ts';
import { connectionOf, keepConnection, type Connection } from './connection.ts';
import { takeProxyHeaders } from './proxied-connections.ts';
import { certificateFlaw, ServerTls, type ClientCertificates } from './server-tls.ts';
import type { TlsConfig } from './tls-files.ts';

/** Time limit for a TLS handshake, and for request headers, enforced at the next check. */
const HEADERS_TIME_MS_MAX = 10_000;

/** Time limit for a whole request; the custody service gives up after 10 seconds. */
const REQUEST_TIME_MS_MAX = 30_000;

/** Interval of the check for expired requests; Node's default is 30 s. */
const LATE_LOOK_MS = 1_000;

/** Keep-alive limit, longer than a proxy's, so that the proxy closes first. */
const KEEP_ALIVE_MS = 75_000;

/** During shutdown: interval of the check for idle connections. */
const IDLE_LOOK_MS = 50;

/** During shutdown: time limit for the rest of a request. A sender that is cut off retries. */
const REST_MS_MAX = 500;

/**
 * Host of requests without a Host header, such as HTTP/1.0 health checks of load balancers. Node
 * refuses HTTP/1.1 requests without one.
 */
const HOST_OF_NONE = 'unnamed.invalid';

/** The request as Node's server has it, and the client's address. */
export interface RequestEnv {
  readonly incoming: IncomingMessage;
  readonly source: string;
}

/** Answers a request. */
export type Answering = (request: Request, env: RequestEnv) => Response | Promise<Response>;

export interface ListenerConfig extends Address {
  readonly tls?: TlsConfig;
  readonly proxyProtocol?: boolean;
}

export interface ListenerOptions {
  readonly config: ListenerConfig;
  /** Asked of TLS connections. */
  readonly clientCertificates: ClientCertificates;
  readonly fetch: Answering;
  /** Receives why TLS refused a client's certificate. */
  readonly onRefused: (cause: string) => void;
  /** Receives the peer of a connection without the PROXY protocol. */
  readonly onUnproxied: (peer: string) => void;
}

/** A listening server. */
export class Listener {
  readonly #options: ListenerOptions;
  readonly #tls: ServerTls | null;
  readonly #server: Server;
  /** Answers that have not ended; the bodies of their requests may still be arriving. */
  readonly #underWay = new Set<ServerResponse>();
  /** Every open connection, below TLS; and those whose TLS handshake has ended. */
  readonly #sockets = new Set<Socket>();
  readonly #secured = new Set<TLSSocket>();
  #url = '';
  #isRetiring = false;

  private constructor(options: ListenerOptions) {
    const { tls } = options.config;
    this.#options = options;
    this.#tls = tls === undefined ? null : new ServerTls(tls, options.clientCertificates);
    this.#server = this.#createServer();
    this.#server.headersTimeout = HEADERS_TIME_MS_MAX;
    this.#server.requestTimeout = REQUEST_TIME_MS_MAX;
    this.#server.keepAliveTimeout = KEEP_ALIVE_MS;
    // Node drops headers beyond a number, and with them a second certificate. Their size is bounded.
    this.#server.maxHeadersCount = 0;
    this.#followConnections();
  }

  /** Listens for HTTP, or HTTPS with `tls`. Rejects with `CommandFailed`. */
  static async open(options: ListenerOptions): Promise<Listener> {
    const listener = new Listener(options);
    const bound = await bind(listener.#server, options.config);
    const scheme = options.config.tls === undefined ? 'http' : 'https';
    listener.#url = bound.startsWith('unix:') ? bound : `${scheme}://${bound}`;
    return listener;
  }

  /** `unix:` and the path, for a socket. */
  get url(): string {
    return this.#url;
  }

  /** Reads changed files of TLS, and returns how to take them over. Throws when it cannot. */
  prepare(tls: TlsConfig | undefined): () => void {
    if (this.#tls === null || tls === undefined) return () => undefined;
    return this.#tls.prepare(tls, this.#server as HttpsServer);
  }

  /** Ends TLS connections that may no longer be. */
  drop(isRefused: (connection: Connection) => boolean): void {
    for (const socket of this.#secured) {
      const connection = connectionOf(socket);
      if (connection !== undefined && isRefused(connection)) socket.destroy();
    }
  }

  /**
   * Ends each connection with its next answer. A connection that `close` finds idle may be sending: its
   * sender would not know whether the request has arrived.
   */
  retire(): void {
    this.#isRetiring = true;
    for (const response of this.#underWay) response.shouldKeepAlive = false;
  }

  /**
   * Accepts no new connections. Resolves when every completely received request was answered. Cuts
   * requests that are still incomplete.
   *
   * Closes idle connections repeatedly: a connection whose answer ends later would otherwise return
   * to keep-alive and stay open. They stay open for `idleMs`, so that a request which is on its way is
   * answered. After a time limit also cuts connections whose request is incomplete, because a slow
   * sender would keep them open.
   */
  close(idleMs = 0): Promise<void> {
    return new Promise((resolve) => {
      const startedAt = performance.now();
      const closeIdle = (): void => {
        if (performance.now() - startedAt >= idleMs) this.#server.closeIdleConnections();
      };
      const again = setInterval(() => {
        closeIdle();
        const waits = [...this.#underWay].some(({ req }) => req.complete);
        if (!waits && performance.now() - startedAt > REST_MS_MAX) this.cut();
      }, IDLE_LOOK_MS);
      // Node's HTTP server would close idle connections too.
      TcpServer.prototype.close.call(this.#server, () => {
        clearInterval(again);
        resolve();
      });
      closeIdle();
    });
  }

  /** Closes all remaining connections. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #createServer(): Server {
    const { fetch } = this.#options;
    const listener = getRequestListener(
      // With HTTP/1.1 alone, the object is Node's own.
      (request, { incoming }) => fetch(request, envOf(incoming as IncomingMessage)),
      { hostname: HOST_OF_NONE },
    );
    const answer = (request: IncomingMessage, response: ServerResponse): void => {
      if (this.#lostTrust(request)) return;
      response.shouldKeepAlive &&= !this.#isRetiring;
      this.#underWay.add(response);
      response.once('close', () => this.#underWay.delete(response));
      void listener(request, response);
    };
    const looks = { connectionsCheckingInterval: LATE_LOOK_MS };
    if (this.#tls === null) return createHttpServer(looks, answer);
    return createHttpsServer(
      { ...looks, ...this.#tls.options, handshakeTimeout: HEADERS_TIME_MS_MAX },
      answer,
    );
  }

  /** Ends a connection whose authority is none any more. */
  #lostTrust({ socket }: IncomingMessage): boolean {
    if (this.#options.clientCertificates !== 'required') return false;
    if (connectionOf(socket)?.tls?.isTrusted() === true) return false;
    this.#options.onRefused('its authority was removed');
    socket.destroy();
    return true;
  }

  /** Notes each connection's peer as soon as it is there. */
  #followConnections(): void {
    const { config, onUnproxied } = this.#options;
    const peerOf = (socket: Socket): string =>
      config.socket === undefined ? (socket.remoteAddress ?? '') : UNIX_PEER;
    /** Sources by the proxy's address and port: TLS gives a socket of its own. */
    const sources = new Map<string, string>();
    const keyOf = (socket: Socket): string => `${socket.remoteAddress} ${socket.remotePort}`;
    const begin = (socket: Socket, source: string | null): void => {
      const peer = peerOf(socket);
      keepConnection(socket, { peer, source: source ?? peer, tls: null });
      if (source === null || this.#tls === null || socket.remotePort === undefined) return;
      const key = keyOf(socket);
      sources.set(key, source);
      socket.once('close', () => sources.delete(key));
    };
    if (config.proxyProtocol === true) {
      const refused = (socket: Socket): void => onUnproxied(peerOf(socket));
      takeProxyHeaders(this.#server, { source: begin, refused });
    } else {
      this.#server.prependListener('connection', (socket: Socket) => begin(socket, null));
    }
    this.#server.prependListener('connection', (socket: Socket) => keepIn(this.#sockets, socket));
    const tls = this.#tls;
    if (tls !== null) this.#followTls(tls, { peerOf, sourceOf: (one) => sources.get(keyOf(one)) });
  }

  #followTls(
    tls: ServerTls,
    of: {
      readonly peerOf: (socket: Socket) => string;
      readonly sourceOf: (socket: Socket) => string | undefined;
    },
  ): void {
    this.#server.prependListener('secureConnection', (socket: TLSSocket) => {
      const peer = of.peerOf(socket);
      const source = of.sourceOf(socket) ?? peer;
      keepConnection(socket, { peer, source, tls: tls.peerOf(socket) });
      keepIn(this.#secured, socket);
    });
    this.#server.on('tlsClientError', (error: Error, socket: TLSSocket) => {
      const flaw = certificateFlaw(error, socket);
      if (flaw !== null) this.#options.onRefused(flaw);
    });
  }
}

function envOf(incoming: IncomingMessage): RequestEnv {
  return { incoming, source: connectionOf(incoming.socket)?.source ?? '' };
}

function keepIn<One extends Socket>(all: Set<One>, socket: One): void {
  all.add(socket);
  socket.once('close', () => all.delete(socket));
}
