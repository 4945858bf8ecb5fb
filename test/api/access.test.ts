import { Hono } from 'hono';
import { expect, test } from 'vitest';
import {
  authenticate,
  identifyBy,
  needs,
  refuseUnnamed,
  type ApiEnv,
} from '../../src/api/access.ts';
import { apiUnderTest, identify, tokenOf, type Person } from './api-under-test.ts';

test('a call without a token is refused, and the answer says how to send one', async () => {
  const api = await apiUnderTest();
  const { status, headers, body } = await api.request('GET', '/v1/balances');
  expect(status).toBe(401);
  expect(headers.get('WWW-Authenticate')).toBe('Bearer realm="counterfoil"');
  expect(headers.get('Content-Type')).toBe('application/problem+json');
  expect(body).toEqual({
    type: 'urn:counterfoil:problem:unauthenticated',
    title: 'No valid token',
    status: 401,
    detail:
      'Send a token as Authorization: Bearer <token>. An admin makes one, or api.tokens names one.',
    instance: '/v1/balances',
  });
});

test.for([
  'Bearer wrong',
  `Basic ${tokenOf('vera')}`,
  `Bearer ${tokenOf('vera')}x`,
  `Bearer ${tokenOf('vera')} ${tokenOf('vera')}`,
  'Bearer ',
])('%s is refused', async (Authorization) => {
  const api = await apiUnderTest();
  const answer = await api.request('GET', '/v1/balances', { headers: { Authorization } });
  expect(answer.status).toBe(401);
  expect(answer.headers.get('WWW-Authenticate')).toMatch(/^Bearer/);
});

test('an unknown token is refused with what to send: the configuration holds digests alone', async () => {
  const api = await apiUnderTest();
  const headers = { Authorization: `Bearer ${'a1'.repeat(32)}` };
  const { status, body } = await api.request('GET', '/v1/balances', { headers });
  expect(status).toBe(401);
  expect(body).toMatchObject({
    detail:
      'The token is unknown, replaced or revoked. Send the token itself, not its SHA-256, or ask an admin for a new one.',
  });
});

test('the scheme of the header may be in upper or lower case', async () => {
  const api = await apiUnderTest();
  const headers = { Authorization: `bearer ${tokenOf('vera')}` };
  expect((await api.request('GET', '/v1/balances', { headers })).status).toBe(200);
});

test('a caller without a token does not learn which paths under /v1 exist', async () => {
  const api = await apiUnderTest();
  expect((await api.request('GET', '/v1/nothing')).status).toBe(401);
  expect((await api.get('/v1/nothing')).status).toBe(404);
});

test.for([
  ['vera', 'POST', '/v1/credits/crd_1/ack', 'acknowledge (acknowledge credits)'],
  [
    'vera',
    'GET',
    '/v1/journal/1/body',
    'read-bodies (read the bytes of notifications and other facts)',
  ],
  ['olga', 'PUT', '/v1/policy', 'change-policy (replace the crediting policy)'],
] as const)(
  '%s is refused, with the permission that %s %s needs',
  async ([as, method, path, needed]) => {
    const api = await apiUnderTest();
    const { status, body } = await api.request(method, path, { as });
    expect([status, body['type']]).toEqual([403, 'urn:counterfoil:problem:forbidden']);
    expect(body['detail']).toContain(`This call needs the permission ${needed}: role`);
  },
);

test('a refusal names the role that the caller has and the roles that may', async () => {
  const api = await apiUnderTest();
  const detailFor = async (as: Person, method: string, path: string) =>
    (await api.request(method, path, { as })).body['detail'];
  expect(await detailFor('fiona', 'POST', '/v1/deposits/dep_1/approve')).toBe(
    '"fiona" has the role finance. This call needs the permission decide-deposits (approve, hold and release deposits, and name their owners): roles operator, admin.',
  );
  expect(await detailFor('audra', 'POST', '/v1/assets/neo:GAS/decimals')).toBe(
    '"audra" has the role auditor. This call needs the permission correct-decimals (correct the decimals of an asset): role admin.',
  );
});

test('the permission is checked as well where the API is mounted in another program', async () => {
  const inner = new Hono<ApiEnv>();
  inner.onError((_error, context) => context.text('defect', 500));
  inner.use('*', authenticate(identify), refuseUnnamed());
  inner.post('/guarded', needs('halt').middleware, (context) => context.text('done'));
  const app = new Hono().route('/', inner);
  const statusFor = async (person: Person) => {
    const headers = { Authorization: `Bearer ${tokenOf(person)}` };
    return (await app.request('/guarded', { method: 'POST', headers })).status;
  };
  expect([await statusFor('vera'), await statusFor('olga')]).toEqual([403, 200]);
});

test('a token whose digest is not a SHA-256 is a mistake of the wiring', () => {
  expect(() => identifyBy([{ name: 'x', role: 'viewer', sha256: 'ab' }])).toThrow(
    'sha256 of "x" is not 64 hex digits',
  );
});

test('a route that names no permission answers nobody', async () => {
  const app = new Hono<ApiEnv>();
  app.onError((error, context) => context.text(error.message, 500));
  app.use('*', authenticate(identify), refuseUnnamed());
  app.get('/unguarded', (context) => context.text('done'));
  app.all('*', (context) => context.text('unknown', 404));
  const answerTo = async (path: string) => {
    const headers = { Authorization: `Bearer ${tokenOf('ada')}` };
    const answer = await app.request(path, { headers });
    return [answer.status, await answer.text()];
  };
  expect(await answerTo('/unguarded')).toEqual([500, 'GET /unguarded names no permission']);
  expect(await answerTo('/elsewhere')).toEqual([404, 'unknown']);
});
