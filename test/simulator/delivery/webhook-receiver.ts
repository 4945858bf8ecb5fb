import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { z } from 'zod';

const envelope = z.looseObject({
  id: z.string(),
  timestamp: z.number(),
  stream: z.string(),
  type: z.string(),
  vaultId: z.string(),
});

export interface Received {
  readonly path: string;
  readonly body: z.infer<typeof envelope>;
}

/** What the receiver does with a request: a status, or `hang` to never answer it. */
export type Reply = number | 'hang' | 'reset';

/** A receiver of webhooks on loopback that remembers what came and answers as told. */
export interface WebhookReceiver {
  readonly url: string;
  readonly received: Received[];
  /** How many requests were open at once per path, at most. */
  readonly openMax: Map<string, number>;
  reply: (received: Received) => Reply;
  /** Resolves once `count` requests have come in. */
  waitFor(count: number): Promise<void>;
  close(): Promise<void>;
}

export async function startReceiver(): Promise<WebhookReceiver> {
  const open = new Map<string, number>();
  const waiting = new Set<() => void>();
  const received: Received[] = [];
  const openMax = new Map<string, number>();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url ?? '';
    const now = (open.get(path) ?? 0) + 1;
    open.set(path, now);
    openMax.set(path, Math.max(openMax.get(path) ?? 0, now));
    response.once('close', () => open.set(path, (open.get(path) ?? 1) - 1));
    const item: Received = { path, body: envelope.parse(JSON.parse(await text(request))) };
    received.push(item);
    const reply = receiver.reply(item);
    if (reply === 'reset') request.socket.destroy();
    else if (reply !== 'hang') response.writeHead(reply).end('{}');
    for (const wake of waiting) wake();
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = z.object({ port: z.number() }).parse(server.address());
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${port}`,
    received,
    openMax,
    reply: () => 200,
    waitFor: (count) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (received.length < count) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
  return receiver;
}
