import { expect, test } from 'vitest';
import { permissionOf } from '../../src/api/access.ts';
import { ROLES } from '../../src/domain/access/role.ts';
import { apiUnderTest, TOKENS, type ApiUnderTest, type Person } from './api-under-test.ts';

/** One person of each role, in the order of the table's columns. */
const PEOPLE = ['vera', 'chris', 'fiona', 'olga', 'ada', 'audra'] as const satisfies Person[];

/** Each route, and who may call it: viewer, crediting, finance, operator, admin, auditor. */
const TABLE: Readonly<Record<string, string>> = {
  'GET /v1/assets/:asset/decimals': 'V C F O A U',
  'POST /v1/assets/:asset/decimals': '- - - - A -',
  'GET /v1/balances': 'V C F O A U',
  'GET /v1/statements': 'V C F O A U',
  'POST /v1/policy/simulate': 'V C F O A U',
  'GET /v1/deposits': 'V C F O A U',
  'GET /v1/deposits/:id': 'V C F O A U',
  'POST /v1/deposits/:id/approve': '- - - O A -',
  'POST /v1/deposits/:id/hold': '- - - O A -',
  'POST /v1/deposits/:id/release': '- - - O A -',
  'POST /v1/deposits/:id/attribute': '- - - O A -',
  'GET /v1/credits': 'V C F O A U',
  'POST /v1/credits/:id/ack': '- C - O A -',
  'GET /v1/withdrawals': 'V C F O A U',
  'GET /v1/withdrawals/:id': 'V C F O A U',
  'GET /v1/movements': 'V C F O A U',
  'GET /v1/notifications': 'V C F O A U',
  'GET /v1/quarantine': 'V C F O A U',
  'POST /v1/quarantine/:id/retry': '- - - O A -',
  'GET /v1/journal/:seq/body': '- - F O A U',
  'GET /v1/breaks': 'V C F O A U',
  'GET /v1/breaks/:id': 'V C F O A U',
  'POST /v1/breaks/:id/investigate': '- - F O A -',
  'POST /v1/breaks/:id/resolve': '- - F O A -',
  'POST /v1/breaks/:id/assign': '- - F O A -',
  'POST /v1/breaks/:id/notes': '- - F O A -',
  'GET /v1/exemptions': 'V C F O A U',
  'POST /v1/exemptions': '- - F O A -',
  'POST /v1/exemptions/:rule/end': '- - F O A -',
  'GET /v1/reconciliations': 'V C F O A U',
  'POST /v1/reconciliations': '- - - O A -',
  'GET /v1/reports/daily': 'V C F O A U',
  'GET /v1/reports/daily/:date': 'V C F O A U',
  'GET /v1/reports/daily/:date/movements': 'V C F O A U',
  'POST /v1/reports/daily/:date/close': '- - F O A -',
  'POST /v1/reports/daily/:date/sign': '- - F O A -',
  'GET /v1/policy': 'V C F O A U',
  'PUT /v1/policy': '- - - - A -',
  'GET /v1/policy/history': 'V C F O A U',
  'POST /v1/policy/halt': '- - - O A -',
  'POST /v1/policy/resume': '- - - O A -',
  'GET /v1/tokens': '- - - - A U',
  'POST /v1/tokens': '- - - - A -',
  'POST /v1/tokens/:name/rotate': '- - - - A -',
  'POST /v1/tokens/:name/revoke': '- - - - A -',
  'GET /v1/people': '- - - - A U',
  'GET /v1/sessions': '- - - - A U',
  'POST /v1/sessions/:id/end': '- - - - A -',
  'GET /v1/settings': '- - - O A U',
};

const LETTERS = ['V', 'C', 'F', 'O', 'A', 'U'];

/** The application's own routes below `/v1`; middleware takes every method and is left out. */
function routesOf({ app }: ApiUnderTest): { method: string; path: string; name: string }[] {
  const routes = app.routes.filter(
    ({ method, path }) => method !== 'ALL' && path.startsWith('/v1/'),
  );
  const named = new Map(
    routes.map(({ method, path }) => [`${method} ${path}`, { method, path }] as const),
  );
  return [...named].map(([name, route]) => ({ name, ...route }));
}

test('every route has a row, and every row a route', async () => {
  const names = routesOf(await apiUnderTest()).map(({ name }) => name);
  expect(names.toSorted()).toEqual(Object.keys(TABLE).toSorted());
  expect(PEOPLE.map((person) => TOKENS[person])).toEqual(ROLES);
});

test('each route lets in the roles of its row, and refuses every other with 403', async () => {
  const api = await apiUnderTest();
  for (const { method, path, name } of routesOf(api)) {
    const called = path.replace(':date', '2025-11-20').replaceAll(/:\w+/g, '1');
    const row: string[] = [];
    for (const [at, person] of PEOPLE.entries()) {
      const { status, body } = await api.request(method, called, { as: person });
      const isRefused = status === 403 && String(body['detail']).includes('needs the permission');
      row.push(isRefused ? '-' : (LETTERS[at] ?? ''));
    }
    expect([name, row.join(' ')]).toEqual([name, TABLE[name]]);
  }
  expect(api.bugs).toEqual([]);
});

test('the document names the permission and the roles of each call', async () => {
  const api = await apiUnderTest();
  const { body } = await api.request('GET', '/openapi.json');
  const paths = body['paths'] as Record<string, Record<string, Record<string, unknown>>>;
  for (const { method, path, name } of routesOf(api)) {
    const documented = path.replaceAll(/:(\w+)/g, '{$1}');
    const call = paths[documented]?.[method.toLowerCase()] ?? {};
    const handlers = api.app.router.match(method, path)[0].map(([[handler]]) => handler);
    const permission = permissionOf(handlers);
    const roles = ROLES.filter((_, at) => TABLE[name]?.split(' ')[at] !== '-');
    expect([name, call['x-permission'], call['x-roles'], call['security']]).toEqual([
      name,
      permission,
      roles,
      [{ bearer: [permission] }],
    ]);
  }
});
