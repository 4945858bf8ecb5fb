import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { BodyMemory } from '../../src/intake/body-memory.ts';
import { CommitQueue } from '../../src/intake/commit-queue.ts';
import { createHooks, type Answer, type HooksOptions } from '../../src/intake/hooks.ts';
import { PathTokens } from '../../src/intake/path-token.ts';
import { RefusedBodies } from '../../src/intake/refused-bodies.ts';
import type { Ledger } from '../../src/store/port.ts';
import type { OpenLedger } from '../store/open-ledger.ts';

export const TOKEN = 't'.repeat(40);
export const BODY_BYTES_MAX = 10_000;

interface Bounds {
  readonly queueMax?: number;
  readonly memoryBytes?: number;
  readonly refusedPerHour?: number;
  readonly ledger?: Ledger;
  readonly more?: Partial<HooksOptions>;
}

/** The intake on a real server on loopback, over a real ledger. */
export async function listening(open: OpenLedger, bounds: Bounds = {}) {
  const answers: Answer[] = [];
  const queue = new CommitQueue({
    ledger: bounds.ledger ?? open.ledger,
    batchMax: 500,
    queueMax: bounds.queueMax ?? 1_000,
  });
  const hooks = createHooks({
    tokens: new PathTokens([TOKEN]),
    bodyBytesMax: BODY_BYTES_MAX,
    memory: new BodyMemory(bounds.memoryBytes),
    submit: (fact) => queue.submit(fact),
    refused: new RefusedBodies(bounds.refusedPerHour ?? 100),
    now: () => open.at,
    certificateAccepted: () => true,
    observe: (answer) => answers.push(answer),
    ...bounds.more,
  });
  const app = new Hono().route('/hooks', hooks);
  const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  onTestFinished(async () => {
    server.close();
    if ('closeAllConnections' in server) server.closeAllConnections();
    await queue.close();
  });
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/hooks/${TOKEN}`;
  const post = (body: string | object, headers: Record<string, string> = {}) =>
    body instanceof ReadableStream
      ? fetch(url, { method: 'POST', body, headers, duplex: 'half' })
      : fetch(url, {
          method: 'POST',
          body: typeof body === 'string' ? body : JSON.stringify(body),
          headers,
        });
  return { url, port, post, queue, answers };
}

/** The status in the body of an answer. */
export async function statusIn(response: Response): Promise<unknown> {
  return ((await response.json()) as { status: unknown }).status;
}

/** A body without a length: the text, so many times. */
export function streamOf(text: string, chunks: number): ReadableStream<Uint8Array> {
  const chunk = new TextEncoder().encode(text);
  let left = chunks;
  return new ReadableStream({
    pull(controller) {
      if (left === 0) return controller.close();
      left -= 1;
      controller.enqueue(chunk);
    },
  });
}
