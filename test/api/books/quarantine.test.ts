import { expect, test } from 'vitest';
import { SIX_DEEP } from '../../store/open-ledger.ts';
import { apiUnderTest } from '../api-under-test.ts';

test('a kept body that is still not understood stays where it is', async () => {
  const api = await apiUnderTest();
  await api.open.deliver({ id: 'strange', stream: 'weather', type: 'rain' });
  const [kept] = await api.list('/v1/quarantine');
  expect(kept).toMatchObject({ notificationId: 'strange', state: 'kept', retriedAt: null });
  const path = `/v1/quarantine/${String(kept?.['quarantineId'])}/retry`;
  const answer = await api.request('POST', path, { as: 'olga' });
  expect([answer.status, answer.body['type']]).toEqual([409, 'urn:counterfoil:problem:conflict']);
  expect((await api.post(path, { reason: 'upgraded' })).status).toBe(409);
});

test('a kept body that is understood now is taken', async () => {
  const api = await apiUnderTest(SIX_DEEP, {
    submit: () => Promise.resolve({ kind: 'taken', seq: 9, status: 'accepted' }),
  });
  const answer = await api.post('/v1/quarantine/qtn_3/retry', { reason: 'upgraded' });
  expect([answer.status, answer.body]).toEqual([
    200,
    { quarantineId: 'qtn_3', status: 'accepted' },
  ]);
});
