import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A TCP address in front of a port on this machine, whose answers come later. */
export interface DelayedLink {
  readonly port: number;
  close(): void;
}

/** Delays answers alone, so that each round trip takes `delayMs` milliseconds longer. */
export async function delayedLink(port: number, delayMs: number): Promise<DelayedLink> {
  const sockets = new Set<Socket>();
  const server = createServer((from) => {
    const to = connect({ port, host: '127.0.0.1', noDelay: true });
    from.setNoDelay(true);
    for (const [socket, other] of [
      [from, to],
      [to, from],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    from.pipe(to);
    // Timers of one length end in the order of their beginning, so answers keep their order.
    to.on('data', (bytes) => setTimeout(() => from.write(bytes), delayMs));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
