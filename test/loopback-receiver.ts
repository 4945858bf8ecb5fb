import { createServer } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** One HTTP request that came in, with its whole body. */
export interface Arrival {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly raw: Buffer;
}

/** What a receiver does with a request: a status, no answer at all, or a cut connection. */
export type Reply = number | 'hang' | 'reset';

export interface LoopbackReceiver {
  readonly url: string;
  close(): Promise<void>;
}

/** A receiver of webhooks on loopback that replies as `take` says; 500 when `take` fails. */
export async function listenOnLoopback(
  take: (arrival: Arrival) => Reply | Promise<Reply>,
): Promise<LoopbackReceiver> {
  const server = createServer((incoming, outgoing) => {
    const { method = '', url: path = '', headers } = incoming;
    buffer(incoming)
      .then((raw) => take({ method, path, headers, raw }))
      .then(
        (reply) => {
          if (reply === 'reset') incoming.socket.destroy();
          else if (reply !== 'hang') outgoing.writeHead(reply).end();
        },
        () => outgoing.writeHead(500).end(),
      );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
