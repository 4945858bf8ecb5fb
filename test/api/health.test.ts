import { expect, test } from 'vitest';
import type { Readiness } from '../../src/api/health.ts';
import { SIX_DEEP } from '../store/open-ledger.ts';
import { apiUnderTest } from './api-under-test.ts';

const SERVING: Readiness = {
  phase: 'serving',
  store: 'writable',
  custody: { circuit: 'closed', failures: 0, access: 'granted', requests: { minute: 1, hour: 9 } },
  queue: { waiting: 3, limit: 10 },
};

const RECEIVER: NonNullable<Readiness['receiver']> = {
  name: 'a',
  role: 'owner',
  epoch: 3,
  owner: 'a',
  position: 12,
  cause: null,
  warnings: [],
};

const READY: [readiness: Partial<Readiness>, status: number, word: string][] = [
  [{}, 200, 'ready'],
  [{ custody: null }, 200, 'ready'],
  [
    {
      custody: {
        circuit: 'open',
        failures: 5,
        retryAtMs: 1_763_600_018_000,
        access: 'unknown',
        requests: { minute: 0, hour: 0 },
      },
    },
    200,
    'ready',
  ],
  [
    {
      custody: {
        circuit: 'closed',
        failures: 0,
        access: 'refused',
        refusals: [{ operation: 'listVaults', status: 401, since: '2025-11-20T00:00:00.000Z' }],
        notices: ['a'],
        requests: { minute: 0, hour: 0 },
      },
    },
    200,
    'ready',
  ],
  [{ phase: 'starting' }, 503, 'starting'],
  [{ phase: 'stopping' }, 503, 'stopping'],
  [{ store: 'unavailable' }, 503, 'store-unavailable'],
  [{ receiver: RECEIVER }, 200, 'ready'],
  [{ receiver: { ...RECEIVER, role: 'follower', owner: 'b' } }, 200, 'ready'],
  [{ receiver: { ...RECEIVER, role: 'follower', cause: 'no' } }, 503, 'journal-unavailable'],
  [{ receiver: { ...RECEIVER, role: 'owner', cause: 'no' } }, 503, 'journal-unavailable'],
  [{ receiver: { ...RECEIVER, role: 'starting', epoch: null, owner: null } }, 503, 'starting'],
  [{ receiver: { ...RECEIVER, role: 'cut_off', cause: 'no' } }, 503, 'journal-unavailable'],
  [{ receiver: { ...RECEIVER, role: 'diverged', cause: 'no' } }, 503, 'diverged'],
];

test.for(READY)('with %o it answers %d, %s', async ([readiness, status, word]) => {
  const now = { ...SERVING, ...readiness };
  const api = await apiUnderTest(SIX_DEEP, { readiness: () => now });
  const answer = await api.request('GET', '/readyz');
  const { phase: _, ...rest } = now;
  expect([answer.status, answer.body]).toEqual([status, { status: word, ...rest }]);
});

test('being alive and the metrics need no token', async () => {
  const api = await apiUnderTest();
  expect((await api.request('GET', '/healthz')).body).toEqual({ status: 'alive' });
  const metrics = await api.request('GET', '/metrics');
  expect(metrics.headers.get('Content-Type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(metrics.body['text']).toBe('counterfoil_up 1\n');
});

test('a process that has lost a thread says that it is failing', async () => {
  const api = await apiUnderTest(SIX_DEEP, { alive: () => false });
  const answer = await api.request('GET', '/healthz');
  expect([answer.status, answer.body]).toEqual([503, { status: 'failing' }]);
});
