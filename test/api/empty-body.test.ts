import { expect, test } from 'vitest';
import { apiUnderTest, tokenOf } from './api-under-test.ts';

const JSON_TYPE = { 'Content-Type': 'application/json' };

test.for([
  ['a type and no body', JSON_TYPE, undefined],
  ['a type and an empty body', JSON_TYPE, ''],
  ['neither type nor body', {}, undefined],
  ['an object', JSON_TYPE, '{}'],
] as const)('a call whose body is optional takes %s', async ([, headers, body]) => {
  const api = await apiUnderTest();
  const authorization = `Bearer ${tokenOf('olga')}`;
  const answer = await api.app.request('/v1/reconciliations', {
    method: 'POST',
    headers: { ...headers, authorization },
    ...(body === undefined ? {} : { body }),
  });
  expect(answer.status).toBe(200);
});

test('a call that needs a body says which field an empty one lacks', async () => {
  const api = await apiUnderTest();
  const answer = await api.app.request('/v1/deposits/dep_1/hold', {
    method: 'POST',
    headers: { ...JSON_TYPE, authorization: `Bearer ${tokenOf('olga')}` },
  });
  expect(answer.status).toBe(400);
  expect(await answer.text()).toContain('reason');
});
