import { request } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { errorBody } from '../../../src/wire/error.ts';
import { startCaller } from '../core-caller.ts';
import type { Caller } from '../core-caller.ts';

const callers: Caller[] = [];
afterEach(async () => {
  for (const caller of callers.splice(0)) await caller.stop();
});

async function start(options: Parameters<typeof startCaller>[0] = {}): Promise<Caller> {
  const caller = await startCaller(options);
  callers.push(caller);
  return caller;
}

/** Calls with a chosen `Host` header, which `fetch` does not allow. */
async function callAs(
  host: string,
  call: { method: string; port: number; path: string; origin?: string },
): Promise<{ status: number; text: string }> {
  const { method, port, path, origin } = call;
  const headers = {
    host,
    'content-type': 'application/json',
    ...(origin === undefined ? {} : { origin, 'sec-fetch-site': 'same-origin' }),
  };
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, method, path, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.once('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.once('error', reject).end(method === 'POST' ? '{"name":"v"}' : undefined);
  });
}

test('a page whose own name resolves to this machine cannot drive the control calls', async () => {
  const { core } = await start();
  const port = core.controlPort;
  for (const host of [`rebound.example:${port}`, 'rebound.example', '10.1.2.3', 'localhost.evil']) {
    const vault = { method: 'POST', port, path: '/sim/vaults', origin: `http://${host}` };
    const answer = await callAs(host, vault);
    expect([answer.status, errorBody.parse(JSON.parse(answer.text)).errorCode]).toEqual([
      403,
      'AU-1',
    ]);
    const read = await callAs(host, { method: 'GET', port, path: '/sim/truth/balances' });
    expect(read.status).toBe(403);
  }
  expect(core.world.vaults()).toEqual([]);
});

test('loopback names reach the control calls on any port', async () => {
  const { core } = await start();
  const port = core.controlPort;
  for (const host of [
    `localhost:${port}`,
    'LOCALHOST',
    `127.0.0.1:${port}`,
    '127.9.9.9',
    '[::1]:8',
  ]) {
    const answer = await callAs(host, { method: 'GET', port, path: '/sim/clock' });
    expect([host, answer.status]).toEqual([host, 200]);
  }
});

test('names that the operator allows reach the control calls', async () => {
  const { core } = await start({ controlHostNames: ['core.test'] });
  const port = core.controlPort;
  const read = { method: 'GET', port, path: '/sim/clock' };
  expect((await callAs(`CORE.test:${port}`, read)).status).toBe(200);
  expect((await callAs(`other.test:${port}`, read)).status).toBe(403);
});

test('the API itself, which takes credentials, answers to any name', async () => {
  const { core } = await start();
  const answer = await callAs('any.name', {
    method: 'GET',
    port: core.port,
    path: '/openapi.json',
  });
  expect(answer.status).toBe(200);
});
