import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { notification } from '../../../src/wire/notification.ts';
import type { Notification } from '../../../src/wire/notification.ts';

/** One HTTP request that came in. */
export interface Hit {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: Notification;
}

/** What the receiver does with a request: a status, no answer at all, or a cut connection. */
export type Reply = number | 'hang' | 'reset';

/** A receiver of webhooks on loopback. Every body must be a notification of the wire schema. */
export interface Receiver {
  readonly url: string;
  readonly hits: Hit[];
  /** Bodies that were no notification, and what was wrong with them. */
  readonly malformed: string[];
  reply: (hit: Hit) => Reply | Promise<Reply>;
  /** Resolves once the condition holds, looked at again after each request. */
  until(condition: () => boolean): Promise<void>;
  /** Forgets everything and answers 200 again. */
  clear(): void;
  close(): Promise<void>;
}

const always200 = (): Reply => 200;

export async function startReceiver(): Promise<Receiver> {
  const hits: Hit[] = [];
  const malformed: string[] = [];
  const waiting = new Set<() => void>();
  const take = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const raw = await text(incoming);
    const parsed = notification.safeParse(JSON.parse(raw));
    if (!parsed.success) {
      malformed.push(`${raw}\n${z.prettifyError(parsed.error)}`);
      outgoing.writeHead(200).end();
      return;
    }
    const { method = '', url: path = '', headers } = incoming;
    const hit: Hit = { method, path, headers, text: raw, body: parsed.data };
    hits.push(hit);
    for (const wake of waiting) wake();
    const reply = await receiver.reply(hit);
    if (reply === 'reset') incoming.socket.destroy();
    else if (reply !== 'hang') outgoing.writeHead(reply).end();
  };
  const server = createServer((incoming, outgoing) => {
    take(incoming, outgoing).catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = z.object({ port: z.number() }).parse(server.address());
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}`,
    hits,
    malformed,
    reply: always200,
    until: (condition) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!condition()) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    clear() {
      hits.length = 0;
      receiver.reply = always200;
    },
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
  return receiver;
}
