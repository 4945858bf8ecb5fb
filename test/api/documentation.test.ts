import { Hono } from 'hono';
import { expect, test, vi } from 'vitest';
import { SIX_DEEP } from '../store/open-ledger.ts';
import { apiUnderTest } from './api-under-test.ts';

test('the document is OpenAPI 3.1 and names every call', async () => {
  const api = await apiUnderTest();
  const { status, body } = await api.request('GET', '/openapi.json');
  expect([status, body['openapi']]).toEqual([200, '3.1.0']);
  const paths = body['paths'] as Record<string, object>;
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(calls.toSorted()).toEqual([
    'GET /healthz',
    'GET /metrics',
    'GET /readyz',
    'GET /v1/assets/{asset}/decimals',
    'GET /v1/balances',
    'GET /v1/breaks',
    'GET /v1/breaks/{id}',
    'GET /v1/credits',
    'GET /v1/deposits',
    'GET /v1/deposits/{id}',
    'GET /v1/exemptions',
    'GET /v1/journal/{seq}/body',
    'GET /v1/movements',
    'GET /v1/notifications',
    'GET /v1/people',
    'GET /v1/policy',
    'GET /v1/policy/history',
    'GET /v1/quarantine',
    'GET /v1/reconciliations',
    'GET /v1/reports/daily',
    'GET /v1/reports/daily/{date}',
    'GET /v1/reports/daily/{date}/movements',
    'GET /v1/sessions',
    'GET /v1/settings',
    'GET /v1/statements',
    'GET /v1/tokens',
    'GET /v1/withdrawals',
    'GET /v1/withdrawals/{id}',
    'POST /v1/assets/{asset}/decimals',
    'POST /v1/breaks/{id}/assign',
    'POST /v1/breaks/{id}/investigate',
    'POST /v1/breaks/{id}/notes',
    'POST /v1/breaks/{id}/resolve',
    'POST /v1/credits/{id}/ack',
    'POST /v1/deposits/{id}/approve',
    'POST /v1/deposits/{id}/attribute',
    'POST /v1/deposits/{id}/hold',
    'POST /v1/deposits/{id}/release',
    'POST /v1/exemptions',
    'POST /v1/exemptions/{rule}/end',
    'POST /v1/policy/halt',
    'POST /v1/policy/resume',
    'POST /v1/policy/simulate',
    'POST /v1/quarantine/{id}/retry',
    'POST /v1/reconciliations',
    'POST /v1/reports/daily/{date}/close',
    'POST /v1/reports/daily/{date}/sign',
    'POST /v1/sessions/{id}/end',
    'POST /v1/tokens',
    'POST /v1/tokens/{name}/revoke',
    'POST /v1/tokens/{name}/rotate',
    'PUT /v1/policy',
  ]);
});

test('the document is built once, however often it is asked for', async () => {
  const api = await apiUnderTest();
  const build = vi.spyOn(api.app, 'getOpenAPI31Document');
  const first = await api.request('GET', '/openapi.json');
  const again = await api.request('GET', '/openapi.json');
  expect(again.body).toEqual(first.body);
  expect(again.headers.get('Content-Type')).toBe('application/json');
  expect(build).toHaveBeenCalledTimes(1);
});

test('every call under /v1 documents its problems and asks for a token', async () => {
  const api = await apiUnderTest();
  const { body } = await api.request('GET', '/openapi.json');
  expect(body['security']).toEqual([{ bearer: [] }]);
  const paths = body['paths'] as Record<string, Record<string, { responses: object }>>;
  for (const [path, methods] of Object.entries(paths)) {
    if (!path.startsWith('/v1/')) continue;
    for (const { responses } of Object.values(methods)) {
      expect([path, Object.keys(responses).slice(0, 4)]).toEqual([
        path,
        ['200', '400', '401', '403'],
      ]);
    }
  }
});

test('every call with a body documents that it may be too large, or no JSON', async () => {
  const api = await apiUnderTest();
  const { body } = await api.request('GET', '/openapi.json');
  const paths = body['paths'] as Record<
    string,
    Record<string, { requestBody?: object; responses: Record<string, object> }>
  >;
  const silent = Object.entries(paths).flatMap(([path, methods]) =>
    Object.values(methods)
      .filter(({ requestBody }) => requestBody !== undefined)
      .filter(({ responses }) => !('413' in responses && '415' in responses))
      .map(() => path),
  );
  expect(silent).toEqual([]);
});

test('only calls that can look for something in vain document a 404', async () => {
  const api = await apiUnderTest();
  const { body } = await api.request('GET', '/openapi.json');
  const paths = body['paths'] as Record<string, Record<string, { responses: object }>>;
  const listed = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { responses }]) => '404' in responses)
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  );
  // The others name their subject in the path.
  expect(listed.filter((call) => !call.includes('{'))).toEqual([
    'GET /v1/statements', // the position
    'POST /v1/exemptions', // the break of `breakId`
    'GET /v1/policy', // the policy itself
    'PUT /v1/policy',
    'POST /v1/policy/halt',
    'POST /v1/policy/resume',
    'POST /v1/policy/simulate',
  ]);
});

test('a linter of OpenAPI documents misses neither the server nor the licence', async () => {
  const api = await apiUnderTest();
  const { body } = await api.request('GET', '/openapi.json');
  expect(body['servers']).toEqual([{ url: '/' }]);
  expect(body['info']).toMatchObject({ license: { name: 'Apache-2.0' } });
});

test('the page of the documents loads nothing from elsewhere', async () => {
  const api = await apiUnderTest();
  const page = await api.request('GET', '/docs');
  expect(page.headers.get('Content-Security-Policy')).toContain("default-src 'none'");
  const links = [...String(page.body['text']).matchAll(/(?:src|href)="([^"]+)"/g)].map(
    ([, link]) => link ?? '',
  );
  expect(links).toHaveLength(4);
  for (const link of links) {
    expect(link).toMatch(/^\/docs\//);
    expect([link, (await api.request('GET', link)).status]).toEqual([link, 200]);
  }
});

test('an unknown path answers 404, and an unsupported method 405 with those that are allowed', async () => {
  const api = await apiUnderTest();
  const nothing = await api.get('/v1/depositz');
  expect([nothing.status, nothing.body['instance']]).toEqual([404, '/v1/depositz']);
  const wrong = await api.request('DELETE', '/v1/deposits/dep_1', { as: 'ada' });
  expect([wrong.status, wrong.headers.get('Allow')]).toEqual([405, 'GET, HEAD']);
  const both = await api.request('PUT', '/v1/reconciliations', { as: 'ada' });
  expect(both.headers.get('Allow')).toBe('GET, HEAD, POST');
});

test('answers are not to be cached or sniffed', async () => {
  const api = await apiUnderTest();
  for (const path of ['/v1/deposits', '/v1/deposits?x=1']) {
    const { headers } = await api.get(path);
    expect(headers.get('Cache-Control')).toBe('no-store');
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
  }
});

test('mounted last in another app, it still answers what is not there and what fails', async () => {
  const api = await apiUnderTest(SIX_DEEP, {
    readiness: () => Promise.reject(new Error('secret of the house')),
  });
  const program = new Hono();
  program.get('/other', (context) => context.text('other'));
  program.route('/', api.app);
  expect(await (await program.request('/other')).text()).toBe('other');
  const statuses: [path: string, status: number][] = [
    ['/', 404],
    ['/healthz', 200],
    ['/v1/deposits', 401],
    ['/readyz', 500],
  ];
  for (const [path, status] of statuses) {
    const answer = await program.request(path);
    expect([path, answer.status]).toEqual([path, status]);
  }
  const failed = await program.request('/readyz');
  expect(failed.headers.get('Content-Type')).toBe('application/problem+json');
  expect(await failed.text()).not.toContain('secret');
  expect(api.bugs).toHaveLength(2);
});

test('the calls of the credit feed explain their parameters and their conflicts', async () => {
  const api = await apiUnderTest();
  const { body } = await api.request('GET', '/openapi.json');
  const paths = body['paths'] as Record<
    string,
    Record<
      string,
      {
        parameters: { name: string; description?: string }[];
        responses: Record<string, { description: string }>;
      }
    >
  >;
  const feed = paths['/v1/credits']?.['get'];
  expect(feed?.parameters.map(({ name, description }) => [name, description])).toEqual([
    ['after', 'The cursor: `next` of the last answer, or 0 for the whole feed.'],
    [
      'afterCreditId',
      'The `creditId` of the item at `after`. If the feed has another item there, it is another feed: the answer is 409.',
    ],
    ['limit', 'Most items in one answer.'],
    ['wait', 'Seconds to wait for new items when there are none yet; 0 answers immediately.'],
  ]);
  expect(feed?.responses['409']?.description).toBe(
    'The feed has no such cursor, or another item there: read again from 0',
  );
  expect(feed?.responses['503']).toMatchObject({
    headers: { 'Retry-After': { description: 'Seconds until the next try.' } },
  });
  const acknowledgement = paths['/v1/credits/{id}/ack']?.['post'];
  expect(acknowledgement?.responses['409']?.description).toBe(
    'The credit was reversed, or is acknowledged under another reference: see `reason`',
  );
});

test('every member of a feed item, of a deposit, of an acknowledgement and of a problem is explained', async () => {
  const api = await apiUnderTest();
  const { body } = await api.request('GET', '/openapi.json');
  const { schemas } = body['components'] as {
    schemas: Record<string, { properties: Record<string, object> }>;
  };
  const unexplained = ['Credit', 'CreditFeed', 'Deposit', 'Acknowledgement', 'Problem'].flatMap(
    (schema) =>
      Object.entries(schemas[schema]?.properties ?? {})
        .filter(([, member]) => !('description' in member || 'example' in member))
        .map(([name]) => `${schema}.${name}`),
  );
  expect(unexplained).toEqual([]);
});

test('a report of each version is documented', async () => {
  const api = await apiUnderTest();
  const { body } = await api.request('GET', '/openapi.json');
  expect(body).toMatchObject({
    components: { schemas: { DailyReport: { properties: { version: { enum: [1, 2] } } } } },
  });
});

test('a description that explains several values of a member explains every one', async () => {
  const api = await apiUnderTest();
  const { body } = await api.request('GET', '/openapi.json');
  const { schemas } = body['components'] as {
    schemas: Record<
      string,
      { properties?: Record<string, { enum?: string[]; description?: string }> }
    >;
  };
  const explained = Object.entries(schemas).flatMap(([schema, { properties = {} }]) =>
    Object.entries(properties).flatMap(([member, { enum: values = [], description = '' }]) => {
      const missing = values.filter((value) => !description.includes(`\`${value}\``));
      return missing.length + 2 > values.length ? [] : [[`${schema}.${member}`, missing]];
    }),
  );
  expect(explained).toEqual([
    ['Problem.reason', []],
    ['Credit.kind', []],
    ['Withdrawal.custody', []],
    ['OwnHash.certainty', []],
    ['Exemption.source', []],
    ['SimulatedDeposit.effect', []],
    ['Token.source', []],
    ['IssuedToken.source', []],
  ]);
});
