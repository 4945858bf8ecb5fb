import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A receiver of webhooks on loopback; `take` gives the status of the answer. */
export async function startReceiver(
  take: (vault: string, raw: Buffer) => Promise<number>,
): Promise<{ urlOf(path: string): string; end(): Promise<void> }> {
  const server = createServer((request, response) => {
    buffer(request)
      .then((raw) => take((request.url ?? '/').slice(1), raw))
      .then(
        (status) => response.writeHead(status).end(),
        () => response.writeHead(500).end(),
      );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    urlOf: (path) => `http://127.0.0.1:${port}/${path}`,
    end: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
