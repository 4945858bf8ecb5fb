import { expect, test } from 'vitest';
import { covers } from '../coverage.ts';
import { refusalOf } from '../error-body.ts';
import { setStage } from '../stage.ts';

const stage = setStage('internal-errors');

/** Codes that only a failure inside the service or its providers can cause. */
const INNER = [
  ['GE-1', 500, 'internal-errors/500 GE-1'],
  ['APM-1', 500, 'internal-errors/500 APM-1'],
  ['HAC-1', 503, 'internal-errors/503 HAC-1'],
  ['HAC-2', 503, 'internal-errors/503 HAC-2'],
  ['HAC-3', 503, 'internal-errors/503 HAC-3'],
] as const;

for (const [errorCode, status, row] of INNER) {
  test(
    `${status} ${errorCode}: by the fault plan, and nothing took effect`,
    covers(row),
    async () => {
      const client = await stage.client();
      const vault = await stage.vault();
      await stage.faults({ api: [{ fault: 'error', errorCode, count: 3 }] });
      const account = { vaultId: vault.vaultId, name: 'never' };
      for (const [method, path, body] of [
        ['GET', '/networks', undefined],
        ['POST', '/accounts', account],
        ['PATCH', `/subscriptions/${vault.vaultId}/notifications/retry-schedule`, undefined],
      ] as const) {
        const answer = await client.call(method, path, body);
        expect(refusalOf(answer)).toBe(`${status} ${errorCode} ${method} /api/v1${path}`);
      }
      expect((await client.call('POST', '/accounts', account)).status).toBe(201);
    },
  );
}

test('no path, query or body is an internal error', async () => {
  const segments = ['%00', '%E0%A4%A', '..%2f', '__proto__', 'x'.repeat(5000), '%F0%9F%92%A9', '%'];
  const bodies = [
    'null',
    '[]',
    '"x"',
    '',
    '\u0000',
    '\ufeff{}',
    '{"__proto__":{}}',
    deepObject(3000),
  ];
  const queries = ['page=1&page=2', 'sort=constructor:asc', 'filter[__proto__]=1', 'pageSize=%00'];
  const failures: string[] = [];
  let calls = 0;
  let client = await stage.client();
  for (const operation of stage.contract.operations()) {
    const [method = '', template = ''] = operation.replace('/api/v1', '').split(' ');
    const paths = [
      ...segments.map((segment) => template.replaceAll(/\{\w+\}/g, segment)),
      ...queries.map((query) => `${template.replaceAll(/\{\w+\}/g, 'none')}?${query}`),
    ];
    const texts = method === 'GET' || method === 'DELETE' ? [undefined] : bodies;
    const odd = [
      ...paths.map((path) => ({ path, text: texts[0] })),
      ...texts.map((text) => ({ path: template.replaceAll(/\{\w+\}/g, 'none'), text })),
    ];
    for (const { path, text } of odd) {
      calls += 1;
      if (calls % 90 === 0) client = await stage.client();
      const { token } = client;
      const options = text === undefined ? { token } : { token, text };
      const answer = await stage.anyone(method, path, options);
      if (answer.status >= 500) failures.push(`${method} ${path.slice(0, 80)} ${answer.status}`);
    }
  }
  expect(failures).toEqual([]);
});

function deepObject(depth: number): string {
  return `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
}
