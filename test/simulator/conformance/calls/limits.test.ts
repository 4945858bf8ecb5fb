import { expect, test } from 'vitest';
import { send, textOf } from '../../call.ts';
import type { Answer } from '../../call.ts';
import { CoreProcess } from '../../core-process.ts';
import { covers } from '../coverage.ts';
import { refusalOf } from '../error-body.ts';
import { ANY_NUMBER } from '../matchers.ts';
import { setStage } from '../stage.ts';
import type { Client } from '../stage.ts';

const stage = setStage('limits');

const MINUTE_MS = 60_000;
const CHEAP = '/networks?pageSize=1';

async function spend(client: Client, count: number): Promise<Answer> {
  for (let made = 1; made < count; made += 1) {
    expect((await client.call('GET', CHEAP)).status).toBe(200);
  }
  return client.call('GET', CHEAP);
}

function limitsOf({ headers }: Answer): (number | null)[] {
  return ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'retry-after'].map(
    (name) => (headers.has(name) ? Number(headers.get(name)) : null),
  );
}

test(
  'a hundred requests a minute, then 429 until the window resets',
  covers(
    'limits/standard-rate',
    'limits/exceeded',
    'limits/header/X-RateLimit-Limit',
    'limits/header/X-RateLimit-Remaining',
    'limits/header/X-RateLimit-Reset',
    'limits/header/Retry-After',
  ),
  async () => {
    const client = await stage.client();
    const opened = (await stage.now()) / 1000;
    expect(limitsOf(await spend(client, 1))).toEqual([100, 99, opened + 60, null]);
    await stage.advance(20_000);
    expect(limitsOf(await spend(client, 99))).toEqual([100, 0, opened + 60, null]);
    const refused = await client.call('GET', CHEAP);
    expect(refusalOf(refused)).toBe('429 RL-1 GET /api/v1/networks');
    expect(limitsOf(refused)).toEqual([100, 0, opened + 60, 40]);
    // Another client is not concerned.
    expect((await spend(await stage.client(), 1)).status).toBe(200);
    await stage.advance(39_999);
    expect(limitsOf(await client.call('GET', CHEAP))).toEqual([100, 0, opened + 60, 1]);
    await stage.advance(1);
    expect(limitsOf(await spend(client, 1))).toEqual([100, 99, opened + 120, null]);
  },
);

test(
  'a thousand requests an hour, though no minute was exceeded',
  covers('limits/burst-rate', 'limits/exceeded'),
  async () => {
    const client = await stage.client();
    const opened = (await stage.now()) / 1000;
    for (let window = 0; window < 10; window += 1) {
      expect((await spend(client, 100)).status).toBe(200);
      await stage.advance(MINUTE_MS);
    }
    const refused = await client.call('GET', CHEAP);
    expect(refusalOf(refused)).toBe('429 RL-1 GET /api/v1/networks');
    expect(limitsOf(refused)).toEqual([1000, 0, opened + 3600, 3000]);
    await stage.advance(50 * MINUTE_MS);
    expect((await client.call('GET', CHEAP)).status).toBe(200);
  },
);

test('a hundred of a hundred and fifty requests at once are served', async () => {
  const client = await stage.client();
  const answers = await Promise.all(Array.from({ length: 150 }, () => client.call('GET', CHEAP)));
  const served = answers.filter(({ status }) => status === 200);
  const left = served.map((answer) => limitsOf(answer)[1]);
  expect(left.toSorted((one, other) => Number(other) - Number(one))).toEqual(
    Array.from({ length: 100 }, (_, index) => 99 - index),
  );
  const refusals = answers.filter(({ status }) => status !== 200).map(refusalOf);
  expect(refusals).toHaveLength(50);
  expect(new Set(refusals)).toEqual(new Set(['429 RL-1 GET /api/v1/networks']));
});

test('every answer to a client carries the three headers, refusals of any kind too', async () => {
  const client = await stage.client([]);
  for (const [method, path, status] of [
    ['GET', '/networks', 200],
    ['GET', '/networks?pageSize=0', 400],
    ['GET', '/subscriptions/none', 403],
    ['GET', '/transactions/none', 404],
    ['POST', '/transactions', 403],
    ['POST', '/accounts', 400],
  ] as const) {
    const answer = await client.call(method, path, method === 'POST' ? {} : undefined);
    expect(answer.status).toBe(status);
    expect(limitsOf(answer)).toEqual([ANY_NUMBER, ANY_NUMBER, ANY_NUMBER, null]);
  }
});

test('a request with an invalid token does not count for its client', async () => {
  const client = await stage.client();
  const { clientId } = client;
  const forged = await stage.token(clientId, { payload: { sub: 'another' } });
  for (let count = 0; count < 120; count += 1) {
    expect((await stage.anyone('GET', CHEAP, { token: forged })).status).toBe(401);
  }
  expect(limitsOf(await spend(client, 1))[1]).toBe(99);
});

test(
  'a page holds 100 rows by default and 1,000 at most, and pages count from 0',
  covers('limits/pageSize', 'limits/page'),
  async () => {
    for (let count = 0; count < 101; count += 1) {
      await stage.sim('POST', '/sim/vaults', { name: `vault ${count}` });
    }
    const { call } = await stage.client();
    const shown = async (query: string) => {
      const { rows, body } = await call('GET', `/vaults${query}`);
      return [rows.length, rows[0]?.['name'], body['pagination']];
    };
    const total = 101;
    expect(await shown('')).toEqual([100, 'vault 0', { page: 0, pageSize: 100, total }]);
    expect(await shown('?page=1')).toEqual([1, 'vault 100', { page: 1, pageSize: 100, total }]);
    expect(await shown('?page=2')).toEqual([0, undefined, { page: 2, pageSize: 100, total }]);
    expect(await shown('?pageSize=1000')).toEqual([
      101,
      'vault 0',
      { page: 0, pageSize: 1000, total },
    ]);
    for (const query of ['pageSize=1001', 'pageSize=0', 'pageSize=ten', 'page=-1', 'page=0.5']) {
      const refused = await call('GET', `/vaults?${query}`);
      expect(refusalOf(refused)).toBe('400 BR-1 GET /api/v1/vaults');
    }
  },
);

test('a core without a rate limit answers the 1,001st call at one time', async () => {
  const start = '2031-05-01T00:00:00Z';
  const core = await CoreProcess.startStill('--no-rate-limit', '--start-time', start);
  try {
    const { now } = (await send(`${core.controlUrl}/sim/clock`, 'GET')).body;
    expect(now).toBe(Date.parse(start));
    const { publicKeyPem } = stage.keys;
    const request = { name: 'c', type: 'api', publicKeyPem, permissions: [] };
    const made = await send(`${core.controlUrl}/sim/clients`, 'POST', { body: request });
    const token = await stage.token(textOf(made.body, 'clientId'));
    const unlimited = [null, null, null, null];
    for (let call = 1; call <= 1_001; call += 1) {
      const answer = await send(`${core.url}/api/v1${CHEAP}`, 'GET', { token });
      expect([answer.status, limitsOf(answer)]).toEqual([200, unlimited]);
    }
    const unknown = await send(`${core.url}/api/v1/nothing`, 'GET', { token });
    expect([unknown.status, limitsOf(unknown)]).toEqual([404, unlimited]);
  } finally {
    await core.stop();
  }
});
