import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { generateLoad, quantile, type LoadOrder, type LoadResult } from './load.ts';

interface Took {
  readonly result: LoadResult;
  /** Bodies by what was answered. */
  readonly accepted: number;
  readonly duplicates: number;
  readonly refused: number;
}

const REQUESTS_MIN = 200;

/**
 * Runs the generator against a receiver that remembers ids and refuses some: for a moment, and again
 * for twice as long while a busy machine has sent too little.
 */
async function loadOf(refuseEvery: number): Promise<Took> {
  for (let seconds = 0.3; ; seconds *= 2) {
    const took = await loadFor(seconds, refuseEvery);
    const { accepted, duplicates, refused } = took;
    if (accepted + duplicates + refused >= REQUESTS_MIN && duplicates > 0) return took;
  }
}

async function loadFor(seconds: number, refuseEvery: number): Promise<Took> {
  const ids = new Set<string>();
  const took = { accepted: 0, duplicates: 0, refused: 0 };
  let requests = 0;
  const answer = (body: string, response: ServerResponse): void => {
    const { id } = JSON.parse(body) as { id: string };
    requests += 1;
    if (requests % refuseEvery === 0) {
      took.refused += 1;
      response.writeHead(503).end('later');
      return;
    }
    const isNew = !ids.has(id);
    ids.add(id);
    took[isNew ? 'accepted' : 'duplicates'] += 1;
    response.end(JSON.stringify({ status: isNew ? 'accepted' : 'duplicate' }));
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => answer(Buffer.concat(chunks).toString('utf8'), response));
  });
  server.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('expected a TCP address');
  const order: LoadOrder = {
    urls: [`http://127.0.0.1:${bound.port}/hooks/any`],
    pair: null,
    connections: 12,
    traffic: 'mixed',
    vaults: 3,
    warmupSeconds: 0,
    seconds,
    serverPids: [process.pid],
  };
  return { result: await generateLoad(order), ...took };
}

test('every answer is counted as what it is, and latencies are in order', async () => {
  const { result, accepted, duplicates } = await loadOf(Infinity);
  expect(result.complete).toBe(true);
  expect(result.errors).toBe(0);
  expect(accepted).toBeGreaterThan(50);
  expect(duplicates).toBeGreaterThan(0);
  expect([result.firsts, result.repeats]).toEqual([accepted, duplicates]);
  expect([result.accepted, result.duplicates]).toEqual([accepted, duplicates]);
  const { p50Ms, p99Ms, p999Ms, maxMs } = result;
  const spread = [p50Ms, p99Ms, p999Ms, maxMs];
  expect(spread).toEqual(spread.toSorted((one, two) => one - two));
  expect(p50Ms).toBeGreaterThan(0);
  expect(result.requestsPerSecond).toBeGreaterThan(0);
});

test('an answer that is not 2xx is an error and acknowledges nothing', async () => {
  const { result, accepted, duplicates, refused } = await loadOf(10);
  expect(refused).toBeGreaterThan(5);
  expect(result.errors).toBe(refused);
  expect(result.firstError).toBe('503 later');
  expect(result.firsts + result.repeats).toBe(accepted + duplicates);
});

test('a receiver that is not there ends in errors, not in a wait', async () => {
  const result = await generateLoad({
    urls: ['http://127.0.0.1:1/hooks/any'],
    pair: null,
    connections: 2,
    traffic: 'deposits',
    vaults: 1,
    warmupSeconds: 0,
    seconds: 1,
    serverPids: [process.pid],
  });
  expect(result).toMatchObject({ complete: false, errors: 2, firsts: 0 });
});

test('a quantile is the value below which that part of the list lies', () => {
  const hundred = Float64Array.from({ length: 100 }, (_, index) => index);
  expect([0.5, 0.99, 0.999].map((part) => quantile(hundred, part))).toEqual([50, 99, 99]);
  expect(quantile(new Float64Array(), 0.5)).toBe(0);
});
