import { createAdaptorServer, type ServerType } from '@hono/node-server';
import { Hono } from 'hono';
import { createServer, type RequestListener } from 'node:http';
import { noticeOf } from './notice.ts';

const ACCEPTED = { status: 'accepted' } as const;
const DUPLICATE = { status: 'duplicate' } as const;

/** How a baseline answers a delivery, in every one of them. */
export function answerTo(isNew: boolean): typeof ACCEPTED | typeof DUPLICATE {
  return isNew ? ACCEPTED : DUPLICATE;
}

/** What a baseline says of its own store, at `/kept`. */
export interface Kept {
  /** Notifications in it; null without a store. */
  readonly notifications: number | null;
  /** Durable transactions; absent: one for each request. */
  readonly transactions?: number;
  readonly defects: readonly string[];
}

/** The path at which baselines report what they kept; it is not measured. */
export const KEPT_PATH = '/kept';

const NOTHING_KEPT: Kept = { notifications: null, defects: [] };

/** A server that takes deliveries at any path below `/hooks`. */
export interface BaselineServer {
  readonly server: ServerType;
  /** Ends what the server started beside itself. */
  close(): Promise<void> | void;
}

function alone(server: ServerType): BaselineServer {
  return { server, close: () => undefined };
}

/** The floor: reads the bytes and answers. Nothing that speaks HTTP on Node can be faster. */
function nodeHttp(): BaselineServer {
  const accepted = JSON.stringify(ACCEPTED);
  const nothingKept = JSON.stringify(NOTHING_KEPT);
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      Buffer.concat(chunks);
      const answer = request.url === KEPT_PATH ? nothingKept : accepted;
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length })
        .end(answer);
    });
  };
  return alone(createServer(listener));
}

/** What the framework costs: routes, reads the bytes, answers. */
function hono(): BaselineServer {
  const app = new Hono();
  app.post('/hooks/:token', async (context) => {
    await context.req.arrayBuffer();
    return context.json(ACCEPTED);
  });
  app.get(KEPT_PATH, (context) => context.json(NOTHING_KEPT));
  return alone(createAdaptorServer({ fetch: app.fetch }));
}

/** What reading a notification costs besides: `JSON.parse` and checks written by hand. */
function honoJson(): BaselineServer {
  const app = new Hono();
  app.post('/hooks/:token', async (context) => {
    noticeOf(await context.req.text());
    return context.json(ACCEPTED);
  });
  app.get(KEPT_PATH, (context) => context.json(NOTHING_KEPT));
  return alone(createAdaptorServer({ fetch: app.fetch }));
}

/** Receivers that keep nothing. */
export const BASELINES = {
  'node-http': nodeHttp,
  hono,
  'hono-json': honoJson,
} as const;
