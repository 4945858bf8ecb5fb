import { createServer, type Server } from 'node:net';
import { CommandFailed } from '../process/terminal.ts';
import { openToGroup, removeStaleSocket } from './socket-file.ts';

/** Where a server listens: a unix socket, or an address and port. */
export interface Address {
  /** The key of the configuration, for messages. */
  readonly key: 'listen' | 'admin';
  readonly host: string;
  readonly port: number;
  /** Absolute path. */
  readonly socket?: string;
}

/** Listens, and answers `host:port` or `unix:PATH`. Rejects with `CommandFailed`. */
export async function bind(server: Server, address: Address): Promise<string> {
  const { key, host, port, socket } = address;
  try {
    if (socket !== undefined) {
      await listenOnSocket(server, socket);
      return `unix:${socket}`;
    }
    await listening(server, { host, port });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const where = socket ?? `${host}:${port}`;
    throw new CommandFailed(`cannot listen on ${where} (${why}): ${remedyOf(error, address)}`);
  }
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error(`${key} has no TCP address`);
  return `${host.includes(':') ? `[${host}]` : host}:${bound.port}`;
}

/**
 * Listens on each address for a moment, and frees it again: a start that cannot listen must not make
 * a store. Rejects with `CommandFailed`.
 */
export async function tryAddresses(addresses: {
  readonly listen: Omit<Address, 'key'>;
  readonly admin?: Omit<Address, 'key'> | undefined;
}): Promise<void> {
  const { listen, admin } = addresses;
  const tried: Server[] = [];
  try {
    for (const [key, address] of [
      ['listen', listen],
      ['admin', admin],
    ] as const) {
      if (address === undefined) continue;
      const server = createServer((socket) => void socket.destroy());
      await bind(server, { ...address, key });
      tried.push(server);
    }
  } finally {
    await Promise.all(
      tried.map((server) => new Promise<void>((resolve) => server.close(() => resolve()))),
    );
  }
}

async function listenOnSocket(server: Server, path: string): Promise<void> {
  try {
    await listening(server, { path });
  } catch (error) {
    if (codeOf(error) !== 'EADDRINUSE' || !(await removeStaleSocket(path))) throw error;
    await listening(server, { path });
  }
  openToGroup(path);
}

function listening(
  server: Server,
  where: { readonly path: string } | { readonly host: string; readonly port: number },
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(where, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : '';
}

function remedyOf(error: unknown, { key, socket }: Address): string {
  const code = codeOf(error);
  if (socket !== undefined) {
    return code === 'EADDRINUSE'
      ? `stop the process that listens there, or change ${key}.socket`
      : `${key}.socket must be a path in a folder that this user may write`;
  }
  if (code === 'EADDRINUSE') return `stop what uses it, or change ${key}.port`;
  if (code === 'EACCES') return `take a port from 1024 on as ${key}.port`;
  return `${key}.host must be an address of this machine`;
}
