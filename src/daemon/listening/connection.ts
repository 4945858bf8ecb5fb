import type { X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';

/** The TLS half of a connection on a listener that asks for client certificates. */
export interface TlsPeer {
  /** Undefined when the client showed none. */
  readonly certificate: X509Certificate | undefined;
  /** Whether the listener's present authorities signed it. */
  readonly isTrusted: () => boolean;
}

/** What a listener knows of a connection from its beginning. */
export interface Connection {
  /** Address of whoever opened it, `unix`, or empty when it had gone already. */
  readonly peer: string;
  /** The client's address by the PROXY protocol; the peer's without it. */
  readonly source: string;
  readonly tls: TlsPeer | null;
}

/**
 * Kept from the beginning: Node forgets the address when the connection ends, and a TCP connection
 * without an address would look like one of a unix socket.
 */
const CONNECTIONS = new WeakMap<Socket, Connection>();

/** Keeps the facts of a new connection for the requests on its socket. */
export function keepConnection(socket: Socket, connection: Connection): void {
  CONNECTIONS.set(socket, connection);
}

/** The connection of a request's socket. */
export function connectionOf(socket: Socket): Connection | undefined {
  return CONNECTIONS.get(socket);
}
