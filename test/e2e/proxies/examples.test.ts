import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { makeAuthority, type Authority } from '../../tls/authority.ts';
import { eventually } from '../program.ts';
import { HANDED } from './daemon-behind-proxy.ts';
import { isInstalled, PROXIES, startProxy, type ProxyName } from './proxy.ts';
import { delivery, oddPathsOf, send } from './raw-sender.ts';

const TOKEN = 'a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6e7f8';

/** Longer than any buffer that a proxy has by itself, and shorter than what it lets through. */
const LONG_BODY = 'x'.repeat(1_500_000);

/** Every header that can carry a certificate, as a sender may forge it. */
const FORGED = [
  'Client-Cert',
  'Client-Cert-Chain',
  'X-Client-Certificate',
  'X-Client-Certificate-DER',
  'X-Forwarded-Client-Cert',
  'client_cert',
  'x_client_certificate',
  'X-Client_Certificate',
  'x_forwarded_client_cert',
].flatMap((name) => [`${name}: forged`, `${name}: forged again`]);

/** The stand-in ends a stalled request like the daemon, but sooner. */
const REQUEST_MS_MAX = 2_000;

interface Taken {
  readonly url: string;
  readonly bytes: number;
  /** Names (small letters) and values, in their order. */
  readonly headers: readonly (readonly [string, string])[];
}

/** A server instead of the daemon, which takes everything. */
async function standIn() {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-stand-in-'));
  const socket = join(folder, 'intake.sock');
  const taken: Taken[] = [];
  const connections = new Set<IncomingMessage['socket']>();
  const server = createServer({ connectionsCheckingInterval: 500 }, (request, response) => {
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    request.on('end', () => {
      const { rawHeaders, url = '' } = request;
      const headers = rawHeaders.flatMap((name, at) =>
        at % 2 === 0 ? [[name.toLowerCase(), rawHeaders[at + 1] ?? ''] as const] : [],
      );
      taken.push({ url, bytes, headers });
      response.end('taken');
    });
  });
  server.headersTimeout = REQUEST_MS_MAX / 2;
  server.requestTimeout = REQUEST_MS_MAX;
  server.on('connection', (connection) => connections.add(connection));
  server.listen(socket);
  await once(server, 'listening');
  const end = async (): Promise<void> => {
    if (server.listening) {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    }
    rmSync(folder, { recursive: true, force: true });
  };
  return { socket, taken, connections, end };
}

let authority: Authority;
beforeAll(() => {
  authority = makeAuthority();
});
afterAll(() => authority.remove());

/** A proxy in front of a server that takes everything; both end with the test. */
async function inFront(name: ProxyName) {
  const behind = await standIn();
  onTestFinished(behind.end);
  const proxy = await startProxy(name, { authority, daemon: behind.socket });
  onTestFinished(proxy.end);
  return { proxy, ...behind };
}

describe.for(PROXIES)('the example of %s', (name) => {
  const withProxy = { skip: !isInstalled(name) };

  test(
    'hands on the certificate that it verified, whatever a sender wrote into any header',
    withProxy,
    async () => {
      const { proxy, taken } = await inFront(name);
      const pair = authority.pairOf('valid');
      for (const headers of [[], FORGED]) {
        const text = delivery(`/hooks/${TOKEN}?a=${TOKEN}`, headers);
        expect(await send(proxy.port, { text, pair })).toMatchObject({ status: 200 });
      }
      expect(taken.map(({ url }) => url)).toEqual(Array(2).fill(`/hooks/${TOKEN}?a=${TOKEN}`));
      const { header, valueOf } = HANDED[name];
      for (const { headers } of taken) {
        const carrying = headers.filter(([one]) =>
          one.replaceAll('_', '-').includes('client-cert'),
        );
        expect(carrying).toEqual([[header.toLowerCase(), valueOf(pair.cert)]]);
      }
    },
  );

  test(
    'opens one spelling of the path, bounds bodies, and keeps connections to the daemon',
    withProxy,
    async () => {
      const { proxy, taken, connections } = await inFront(name);
      const pair = authority.pairOf('valid');
      const deliver = (path: string, body?: string) =>
        send(proxy.port, { text: delivery(path, [], body), pair });
      for (const path of oddPathsOf(TOKEN)) {
        const { status } = await deliver(path);
        expect([path, status]).toEqual([path, status === 400 ? 400 : 404]);
      }
      for (const method of ['GET', 'BREW', TOKEN]) {
        const text = delivery(`/hooks/${TOKEN}`).replace('POST', method);
        const { status } = await send(proxy.port, { text, pair });
        expect([400, 403, 404, 405]).toContain(status);
      }
      expect(taken).toEqual([]);
      for (const path of [...Array<string>(4).fill(''), 'http://localhost']) {
        expect(await deliver(`${path}/hooks/${TOKEN}`)).toMatchObject({ status: 200 });
      }
      expect(connections.size).toBeLessThan(3);
      expect(await deliver(`/hooks/${TOKEN}`, LONG_BODY)).toMatchObject({ status: 200 });
      // A proxy that closes the connection before the body has ended may take its answer with it.
      const tooLong = await eventually('an answer to a long body', async () => {
        const { status } = await deliver(`/hooks/${TOKEN}`, LONG_BODY.repeat(2));
        return status ?? undefined;
      });
      expect(tooLong).toBe(413);
      expect(taken.map(({ bytes }) => bytes)).toEqual([2, 2, 2, 2, 2, LONG_BODY.length]);
    },
  );

  test(
    'writes no token into a log, however a request is spelled and whatever fails',
    withProxy,
    async () => {
      const { proxy, taken, end } = await inFront(name);
      const pair = authority.pairOf('valid');
      const deliver = (path: string) => send(proxy.port, { text: delivery(path), pair });
      for (const path of [`/hooks/${TOKEN}`, ...oddPathsOf(TOKEN)]) await deliver(path);
      const broken = [
        `POST hooks/${TOKEN} HTTP/1.1\r\nHost: x\r\n\r\n`,
        `POST/hooks/${TOKEN}\r\n\r\n`,
        `POST /hooks/${TOKEN} HTTP/1.1\r\nHost: ${TOKEN}\r\nHost: y\r\nConnection: close\r\n\r\n`,
        `POST /hooks/${TOKEN} HTTP/1.1\r\nHost: ${TOKEN}\r\nConnection: close\r\n\r\n`,
        `POST /hooks/${TOKEN} HTTP/1.1\r\nHost: x\r\nContent-Length: ${TOKEN}\r\n\r\n`,
        `${TOKEN} /hooks/${TOKEN} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
      ];
      for (const text of broken) await send(proxy.port, { text, pair });
      for (const certificate of ['expired', 'not-pinned', 'other-authority'] as const) {
        const text = delivery(`/hooks/${TOKEN}`);
        await send(proxy.port, { text, pair: authority.pairOf(certificate) });
      }
      await send(proxy.port, { text: delivery(`/hooks/${TOKEN}`) });
      // In the place of the folder that nginx would write long bodies into.
      rmSync(join(proxy.folder, 'bodies'), { recursive: true });
      writeFileSync(join(proxy.folder, 'bodies'), '');
      const long = { text: delivery(`/hooks/${TOKEN}`, [], LONG_BODY), pair };
      const { status: whenLong } = await send(proxy.port, long);
      expect(whenLong).toBe(name === 'nginx' ? 500 : 200);
      expect(taken.length).toBeGreaterThan(0);
      await end();
      const { status } = await deliver(`/hooks/${TOKEN}`);
      expect([502, 503]).toContain(status);
      await eventually('its log shows the last request', async () =>
        new RegExp(`\\b${status}\\b`).test(proxy.logs()) ? true : undefined,
      );
      await proxy.end();
      expect(proxy.logs()).not.toContain(TOKEN);
    },
  );
});

test('no example answers 2xx to a body that stalls, or waits longer than the custody service', async () => {
  const installed = PROXIES.filter(isInstalled);
  const pair = authority.pairOf('valid');
  const stalled = delivery(`/hooks/${TOKEN}`).replace('Content-Length: 2', 'Content-Length: 3');
  const ended = installed.map(async (name) => {
    const { proxy } = await inFront(name);
    const startedMs = performance.now();
    const { status } = await send(proxy.port, { text: stalled, pair });
    const inTime = performance.now() - startedMs < 10_000;
    return { name, inTime, taken: status !== null && status < 300 };
  });
  expect(await Promise.all(ended)).toEqual(
    installed.map((name) => ({ name, inTime: true, taken: false })),
  );
});
