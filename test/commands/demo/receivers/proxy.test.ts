import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../../../src/commands/demo/free-port.ts';
import { Proxy, type AnsweredDelivery } from '../../../../src/commands/demo/receivers/proxy.ts';

/** Longer than a busy machine takes to answer. */
const LOOK_MS_MAX = 120_000;

/** A server that is ready or not, and may break connections instead of answering. */
class Receiver {
  readonly name: string;
  readonly asked: string[] = [];
  isReady = true;
  isBreaking = false;
  readonly #server: Server = createServer((incoming, outgoing) => {
    void this.#answer(incoming).then((answer) => {
      if (answer === null) outgoing.destroy();
      else outgoing.writeHead(answer.status).end(answer.text);
    });
  });

  constructor(name: string) {
    this.name = name;
  }

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    onTestFinished(() => {
      this.#server.close();
      this.#server.closeAllConnections();
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async #answer(incoming: IncomingMessage): Promise<{ status: number; text: string } | null> {
    if (incoming.url === '/readyz') return { status: this.isReady ? 200 : 503, text: '{}' };
    const body = await text(incoming);
    this.asked.push(`${incoming.method} ${incoming.url} ${body}`.trim());
    if (this.isBreaking) return null;
    return { status: 200, text: `${this.name} for ${incoming.headers.host}` };
  }
}

/** A proxy in front of the receivers a and b, which are ready. */
async function proxyOfTwo() {
  const [a, b] = [new Receiver('a'), new Receiver('b')];
  await Promise.all([a.listen(), b.listen()]);
  const deliveries: AnsweredDelivery[] = [];
  const taken = (delivery: AnsweredDelivery): void => void deliveries.push(delivery);
  const proxy = new Proxy([a.url, b.url], taken, LOOK_MS_MAX);
  onTestFinished(() => proxy.close());
  const port = await freePort();
  await proxy.listen(port);
  await expect.poll(() => proxy.areAllReady).toBe(true);
  const url = `http://127.0.0.1:${port}`;
  const deliver = async (body: string): Promise<string> => {
    const answer = await fetch(`${url}/hooks/token`, { method: 'POST', body });
    return answer.text();
  };
  return { a, b, proxy, port, url, deliver, deliveries };
}

test('spreads deliveries over the ready receivers, and shows each with its answer', async () => {
  const { a, b, port, deliver, deliveries } = await proxyOfTwo();
  for (const body of ['1', '2', '3', '4']) await deliver(body);
  expect([a.asked.length, b.asked.length]).toEqual([2, 2]);
  const [first] = deliveries;
  expect([first?.status, first?.body.toString()]).toEqual([200, '1']);
  expect(first?.answer.toString()).toMatch(new RegExp(`^[ab] for 127.0.0.1:${port}$`));
});

test('sends nothing to a receiver that is not ready', async () => {
  const { a, b, proxy, deliver } = await proxyOfTwo();
  a.isReady = false;
  await expect.poll(() => proxy.areAllReady).toBe(false);
  for (const body of ['1', '2', '3']) await deliver(body);
  expect([a.asked, b.asked.length]).toEqual([[], 3]);
});

test('repeats a delivery at the next receiver when the connection breaks', async () => {
  const { a, b, deliver, deliveries } = await proxyOfTwo();
  a.isBreaking = true;
  for (const body of ['1', '2']) expect(await deliver(body)).toMatch(/^b for /);
  expect(a.asked.length).toBeGreaterThan(0);
  expect(b.asked).toEqual(['POST /hooks/token 1', 'POST /hooks/token 2']);
  expect(deliveries).toHaveLength(2);
});

test('does not repeat a call that may have changed something', async () => {
  const { a, b, url } = await proxyOfTwo();
  a.isBreaking = true;
  b.isBreaking = true;
  const answer = await fetch(`${url}/v1/reconciliations`, { method: 'POST', body: '{}' });
  expect(answer.status).toBe(502);
  expect(a.asked.length + b.asked.length).toBe(1);
});

test('sends calls to one receiver as long as it is ready, then to the other', async () => {
  const { a, b, proxy, url } = await proxyOfTwo();
  for (const page of ['0', '1', '2']) await fetch(`${url}/v1/deposits?page=${page}`);
  expect([a.asked.length, b.asked.length]).toEqual([3, 0]);
  a.isReady = false;
  await expect.poll(() => proxy.areAllReady).toBe(false);
  await fetch(`${url}/v1/deposits`);
  a.isReady = true;
  await expect.poll(() => proxy.areAllReady).toBe(true);
  await fetch(`${url}/v1/deposits`);
  expect([a.asked.length, b.asked.length]).toEqual([3, 2]);
});
