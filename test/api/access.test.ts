import { Hono } from 'hono';
import { expect, test } from 'vitest';
import {
  authenticate,
  authorize,
  identifyBy,
  mayAct,
  ROLES,
  type ApiEnv,
} from '../../src/api/access.ts';
import { apiUnderTest, identify, tokenOf, TOKENS, type Person } from './api-under-test.ts';

test('without a token the call is refused, and told how to send one', async () => {
  const api = await apiUnderTest();
  const { status, headers, body } = await api.request('GET', '/v1/balances');
  expect(status).toBe(401);
  expect(headers.get('WWW-Authenticate')).toBe('Bearer realm="counterfoil"');
  expect(headers.get('Content-Type')).toBe('application/problem+json');
  expect(body).toEqual({
    type: 'urn:counterfoil:problem:unauthenticated',
    title: 'No valid token',
    status: 401,
    detail: 'Send one of the tokens of api.tokens: Authorization: Bearer <token>.',
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

test('the scheme of the header is written as the caller likes', async () => {
  const api = await apiUnderTest();
  const headers = { Authorization: `bearer ${tokenOf('vera')}` };
  expect((await api.request('GET', '/v1/balances', { headers })).status).toBe(200);
});

test('an unknown path under /v1 tells strangers nothing', async () => {
  const api = await apiUnderTest();
  expect((await api.request('GET', '/v1/nothing')).status).toBe(401);
  expect((await api.get('/v1/nothing')).status).toBe(404);
});

const MAY_CALL: [method: string, path: string, people: Person[]][] = [
  ['GET', '/v1/balances', ['vera', 'chris', 'olga', 'ada']],
  ['GET', '/v1/credits', ['vera', 'chris', 'olga', 'ada']],
  ['GET', '/v1/journal/1/body', ['vera', 'chris', 'olga', 'ada']],
  ['POST', '/v1/credits/crd_1/ack', ['chris', 'olga', 'ada']],
  ['POST', '/v1/deposits/dep_1/approve', ['olga', 'ada']],
  ['POST', '/v1/deposits/dep_1/hold', ['olga', 'ada']],
  ['POST', '/v1/deposits/dep_1/release', ['olga', 'ada']],
  ['POST', '/v1/deposits/dep_1/attribute', ['olga', 'ada']],
  ['POST', '/v1/breaks/brk_1/investigate', ['olga', 'ada']],
  ['POST', '/v1/breaks/brk_1/resolve', ['olga', 'ada']],
  ['POST', '/v1/breaks/brk_1/assign', ['olga', 'ada']],
  ['POST', '/v1/breaks/brk_1/notes', ['olga', 'ada']],
  ['POST', '/v1/quarantine/qtn_1/retry', ['olga', 'ada']],
  ['POST', '/v1/reconciliations', ['olga', 'ada']],
];

test.for(MAY_CALL)('%s %s is for %s', async ([method, path, people]) => {
  const api = await apiUnderTest();
  const allowed: Person[] = [];
  for (const person of ['vera', 'chris', 'olga', 'ada'] as const) {
    const { status } = await api.request(method, path, { as: person });
    if (status !== 403) allowed.push(person);
  }
  expect(allowed).toEqual(people);
});

test.for([
  ['vera', 'POST', '/v1/deposits/dep_1/approve', 'viewer', 'operator'],
  ['chris', 'POST', '/v1/deposits/dep_1/approve', 'crediting', 'operator'],
  ['vera', 'POST', '/v1/credits/crd_1/ack', 'viewer', 'crediting'],
  ['vera', 'PUT', '/v1/policy', 'viewer', 'admin'],
  ['olga', 'PUT', '/v1/policy', 'operator', 'admin'],
] as const)('%s is told what %s %s needs', async ([as, method, path, has, needs]) => {
  const api = await apiUnderTest();
  expect((await api.request(method, path, { as })).body['detail']).toBe(
    `The token "${as}" has the role ${has}; this call needs ${needs} or above.`,
  );
});

test('the role is told as well where the API is mounted in another program', async () => {
  const inner = new Hono<ApiEnv>();
  inner.onError((_error, context) => context.text('defect', 500));
  inner.use('*', authenticate(identify), authorize());
  inner.post('/guarded', authorize('operator'), (context) => context.text('done'));
  const app = new Hono().route('/', inner);
  const headers = { Authorization: `Bearer ${tokenOf('vera')}` };
  const answer = await app.request('/guarded', { method: 'POST', headers });
  expect([answer.status, await answer.json()]).toMatchObject([
    403,
    { detail: 'The token "vera" has the role viewer; this call needs operator or above.' },
  ]);
});

test('no call that changes something is open to a viewer, by the document itself', async () => {
  const api = await apiUnderTest();
  const { body } = await api.get('/openapi.json');
  const paths = Object.entries(body['paths'] as Record<string, Record<string, unknown>>);
  const writes = paths.flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter((method) => method !== 'get')
      .map((method) => [method.toUpperCase(), path] as const),
  );
  expect(writes).toHaveLength(17);
  for (const [method, path] of writes) {
    const { status, body: refused } = await api.request(method, path, { as: 'vera' });
    expect([path, status, refused['type']]).toEqual([
      path,
      403,
      'urn:counterfoil:problem:forbidden',
    ]);
  }
});

test('each role may do what those before it may', () => {
  const table = ROLES.map((has) =>
    ROLES.filter((needs) => mayAct({ name: 'x', role: has }, needs)),
  );
  expect(table.map((needs) => needs.length)).toEqual([1, 2, 3, 4]);
  expect(new Set(Object.values(TOKENS))).toEqual(new Set(ROLES));
});

test('a token whose digest is not a SHA-256 is a mistake of the wiring', () => {
  expect(() => identifyBy([{ name: 'x', role: 'viewer', sha256: 'ab' }])).toThrow(
    'sha256 of "x" is not 64 hex digits',
  );
});

test('a route that forgot to ask for a role is closed to viewers', async () => {
  const app = new Hono<ApiEnv>();
  app.use('*', authenticate(identify), authorize());
  app.post('/forgetful', (context) => context.text('done'));
  const statusFor = async (person: Person) => {
    const headers = { Authorization: `Bearer ${tokenOf(person)}` };
    return (await app.request('/forgetful', { method: 'POST', headers })).status;
  };
  expect([await statusFor('vera'), await statusFor('chris')]).toEqual([403, 200]);
});
