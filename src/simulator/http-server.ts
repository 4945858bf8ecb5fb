import type { Server } from 'node:http';
import { isIP } from 'node:net';

/** Takes a host as `listen` does, or as a URL spells it (IPv6 in brackets). */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  return bare === 'localhost' || bare === '::1' || (isIP(bare) === 4 && bare.startsWith('127.'));
}

/** Listens and answers the port, which the system chooses for 0; rejects when it is taken. */
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

/** Stops listening and cuts off whatever is still connected. */
export async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}

/** The base address of a listener, without a trailing slash. */
export function baseUrlOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
