import type { Server } from 'node:http';
import { isIP } from 'node:net';

/** Whether the host is loopback. Accepts a name, an address, or an IPv6 address in brackets. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  return bare === 'localhost' || bare === '::1' || (isIP(bare) === 4 && bare.startsWith('127.'));
}

/**
 * Starts the server and returns its port, which the system chooses for 0. Rejects when the port is
 * taken.
 */
export async function listenOn(
  server: Server,
  address: { readonly host: string; readonly port: number },
): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address.port, address.host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('expected a TCP address');
  return bound.port;
}

/** Stops the server and closes all its connections. */
export async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}

/** The base address of a server, without a trailing slash. */
export function baseUrlOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
