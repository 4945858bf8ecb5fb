import { expect, test } from 'vitest';
import { SIX_DEEP } from '../../store/open-ledger.ts';
import { Service } from '../../store/webhook.ts';
import { apiUnderTest } from '../api-under-test.ts';

test('a reconciliation runs on request and answers its counts', async () => {
  const api = await apiUnderTest();
  await api.open.deliver(new Service().confirmed(6));
  const answer = await api.request('POST', '/v1/reconciliations', { as: 'olga' });
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({
    reconciliationId: expect.stringMatching(/^rec_\d+$/) as string,
    startedAt: new Date(api.open.at - 1_000).toISOString(),
    finishedAt: new Date(api.open.at).toISOString(),
    matched: 0,
    break: 0,
    exempt: {},
    skipped: { no_chain_evidence: 1 },
    requests: 0,
    repairs: { replayed: 0, pulledForward: 0, backfilled: 0 },
    addresses: null,
    incomplete: null,
  });
  expect(await api.list('/v1/reconciliations')).toEqual([answer.body]);
});

test('a run that the store does not take is answered 503, and is no defect', async () => {
  const api = await apiUnderTest(SIX_DEEP, {
    reconcile: async () => ({ kind: 'not_recorded', cause: 'SQLITE_FULL' }),
  });
  const refused = await api.request('POST', '/v1/reconciliations', { as: 'olga' });
  expect([refused.status, refused.body]).toEqual([
    503,
    expect.objectContaining({ detail: 'The run could not be recorded (SQLITE_FULL): try again.' }),
  ]);
  expect(api.bugs).toEqual([]);
});

test('a request for a run beyond those that may wait is refused with `Retry-After`', async () => {
  let finish = (): void => undefined;
  const gate = new Promise<void>((resolve) => (finish = resolve));
  const api = await apiUnderTest(SIX_DEEP, {
    reconcile: async () => {
      await gate;
      return api.reconcile();
    },
  });
  const ask = () => api.request('POST', '/v1/reconciliations', { as: 'olga' });
  const waiting = Array.from({ length: 20 }, ask);
  const refused = await ask();
  expect([refused.status, refused.headers.get('Retry-After')]).toEqual([503, '5']);
  finish();
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(
    Array.from({ length: 20 }, () => 200),
  );
  expect((await ask()).status).toBe(200);
});
