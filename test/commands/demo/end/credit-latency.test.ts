import { serve } from '@hono/node-server';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { CreditLatency } from '../../../../src/commands/demo/end/credit-latency.ts';
import { ProductApi } from '../../../../src/commands/demo/product-api.ts';

/** A page of metrics with these cumulative counts by bucket. */
function page(counts: Readonly<Record<string, number>>): string {
  const name = 'counterfoil_credit_latency_seconds';
  const lines = Object.entries(counts).map(
    ([bound, count]) => `${name}_bucket{le="${bound}"} ${count}`,
  );
  return [`# TYPE ${name} histogram`, ...lines, `${name}_sum 12`, `other_bucket{le="1"} 99`].join(
    '\n',
  );
}

/** The figures after these pages were read one after the other. */
async function figuresOf(...pages: string[]) {
  const left = [...pages];
  const server = serve({
    fetch: () => new Response(left.shift()),
    hostname: '127.0.0.1',
    port: 0,
  });
  onTestFinished(async () => {
    server.close();
    await once(server, 'close');
  });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const api = new ProductApi({ url: `http://127.0.0.1:${port}`, token: 'none' });
  const latency = new CreditLatency();
  while (left.length > 0) await latency.take(api);
  return latency.figures();
}

test('the figures lie within their buckets as Prometheus estimates them', async () => {
  const counts = { '0.5': 50, '1': 90, '2': 100, '+Inf': 100 };
  expect(await figuresOf(page(counts))).toEqual({
    items: 100,
    p50Seconds: 0.5,
    p99Seconds: 1.9,
  });
});

test('the counts of all lives of the daemon are added up', async () => {
  const before = page({ '0.5': 99, '1': 99, '2': 99, '+Inf': 99 });
  const after = page({ '0.5': 0, '1': 0, '2': 1, '+Inf': 1 });
  const figures = await figuresOf(before, after);
  expect([figures?.items, figures?.p99Seconds]).toEqual([100, 0.5]);
});

test('a latency beyond the last bucket is given as the bound of that bucket', async () => {
  expect(await figuresOf(page({ '0.5': 0, '60': 0, '+Inf': 3 }))).toEqual({
    items: 3,
    p50Seconds: 60,
    p99Seconds: 60,
  });
});

test('without a credit there are no figures', async () => {
  expect(await figuresOf(page({ '0.5': 0, '+Inf': 0 }), '')).toBeNull();
});
