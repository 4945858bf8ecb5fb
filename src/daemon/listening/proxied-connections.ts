import type { Server, Socket } from 'node:net';
import { readProxyHeader } from './proxy-header.ts';

/** The header is sent at once; a slower proxy is none. */
const HEADER_MS_MAX = 5_000;

/**
 * Takes the PROXY protocol's header from each connection before the server sees it. A connection
 * without one ends: whoever comes past the proxy could otherwise choose an address. `onSource`
 * receives the client's address, null when the proxy speaks for itself.
 */
export function takeProxyHeaders(
  server: Server,
  on: {
    readonly source: (socket: Socket, source: string | null) => void;
    readonly refused: (socket: Socket) => void;
  },
): void {
  const accepting = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    takeHeader(socket, {
      taken: (source) => {
        on.source(socket, source);
        for (const accept of accepting) accept.call(server, socket);
      },
      refused: () => on.refused(socket),
    });
  });
}

function takeHeader(
  socket: Socket,
  on: { readonly taken: (source: string | null) => void; readonly refused: () => void },
): void {
  let seen = Buffer.alloc(0);
  const end = (): void => {
    on.refused();
    socket.destroy();
  };
  const timer = setTimeout(end, HEADER_MS_MAX);
  const release = (): void => {
    clearTimeout(timer);
    socket.off('readable', read).off('error', ignore).off('close', release);
  };
  const read = (): void => {
    const chunk: unknown = socket.read();
    if (!Buffer.isBuffer(chunk)) return;
    seen = Buffer.concat([seen, chunk]);
    const header = readProxyHeader(seen);
    if (header.kind === 'incomplete') return;
    release();
    if (header.kind === 'invalid') return end();
    if (header.bytes < seen.length) socket.unshift(seen.subarray(header.bytes));
    on.taken(header.source);
  };
  socket.on('readable', read).on('error', ignore).on('close', release);
}

/** A connection that breaks closes. */
function ignore(): void {}
