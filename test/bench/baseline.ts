import { createAdaptorServer, type ServerType } from '@hono/node-server';
import Database from 'better-sqlite3';
import { Hono } from 'hono';
import { createServer } from 'node:http';

/** A receiver to compare with; `one-transaction` keeps what it takes in a store of its own. */
export type Baseline = 'node-http' | 'hono' | 'one-transaction';

const ACCEPTED = { status: 'accepted' } as const;

/** The floor: reads the bytes and answers. Nothing that speaks HTTP on Node can be faster. */
function nodeHttp(): ServerType {
  const answer = JSON.stringify(ACCEPTED);
  return createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      Buffer.concat(chunks);
      response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
    });
  });
}

/** What the framework costs: route, read, parse, answer; nothing is kept. */
function hono(): ServerType {
  const app = new Hono();
  app.post('/hooks/:token', async (context) => {
    JSON.parse(await context.req.text());
    return context.json(ACCEPTED);
  });
  return createAdaptorServer({ fetch: app.fetch });
}

/** The receiver that one writes first: deduplicates by id, one durable transaction per request. */
function oneTransaction(storePath: string): ServerType {
  const db = new Database(storePath);
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.exec('CREATE TABLE deliveries (id TEXT PRIMARY KEY, body BLOB NOT NULL) STRICT');
  const insert = db.prepare<[string, Buffer]>(
    'INSERT INTO deliveries (id, body) VALUES (?, ?) ON CONFLICT DO NOTHING',
  );
  const take = db.transaction((id: string, body: Buffer) => insert.run(id, body).changes === 1);
  const app = new Hono();
  app.post('/hooks/:token', async (context) => {
    const body = Buffer.from(await context.req.arrayBuffer());
    const { id } = JSON.parse(body.toString('utf8')) as { id: string };
    return context.json(take.immediate(id, body) ? ACCEPTED : { status: 'duplicate' });
  });
  return createAdaptorServer({ fetch: app.fetch });
}

function serverOf(baseline: Baseline, storePath: string): ServerType {
  switch (baseline) {
    case 'node-http':
      return nodeHttp();
    case 'hono':
      return hono();
    case 'one-transaction':
      return oneTransaction(storePath);
    default:
      return baseline satisfies never;
  }
}

/** Serves until the process ends; prints where it listens as one JSON line, as `serve` does. */
export function serveBaseline(baseline: Baseline, storePath: string): void {
  const server = serverOf(baseline, storePath);
  server.listen(0, '127.0.0.1', () => {
    const bound = server.address();
    if (bound === null || typeof bound === 'string') throw new Error('expected a TCP address');
    console.log(JSON.stringify({ url: `http://127.0.0.1:${bound.port}` }));
  });
}
