import { expect, test } from 'vitest';
import { AT_ADDRESS, change, Service } from '../../store/webhook.ts';
import { apiUnderTest, type ApiUnderTest } from '../api-under-test.ts';

/** An API with a critical break, a warning and an info, a second or more apart, the info oldest. */
async function withBreaks(): Promise<{ api: ApiUnderTest; pathOf: (type: string) => string }> {
  const api = await apiUnderTest();
  const service = new Service();
  const debit = { balanceChanges: [change('-7', AT_ADDRESS)] };
  await api.open.deliver('not json', { id: 'strange', stream: 'weather' });
  await api.open.deliver(service.chain('transaction', debit));
  await api.open.run();
  const pathOf = (type: string): string => `/v1/breaks/${api.open.openBreak(type).id}`;
  return { api, pathOf };
}

function typesIn(list: readonly Record<string, unknown>[]): unknown[] {
  return list.map((one) => one['type']);
}

test('a break has its age and both severities; a resolved break ages no more', async () => {
  const { api, pathOf } = await withBreaks();
  const path = pathOf('malformed');
  api.open.at += 90_500;
  expect((await api.get(path)).body).toMatchObject({
    severity: 'info',
    originalSeverity: 'info',
    assignee: null,
    ageSeconds: 93,
  });
  await api.post(`${path}/resolve`, { reason: 'a probe' });
  api.open.at += 1_000_000;
  expect((await api.get(path)).body['ageSeconds']).toBe(93);
});

test('a note and an assignment are in the history, with who, when and why', async () => {
  const { api, pathOf } = await withBreaks();
  const path = pathOf('malformed');
  const noted = await api.post(`${path}/notes`, { note: 'looks like a scanner' }, 'otto');
  expect(noted.status).toBe(200);
  const answer = await api.post(`${path}/assign`, { assignee: 'night desk', reason: 'on duty' });
  expect([answer.status, answer.body['assignee']]).toEqual([200, 'night desk']);
  const at = new Date(api.open.at).toISOString();
  const unmoved = { before: null, after: null };
  expect(answer.body['history']).toEqual([
    expect.objectContaining({
      action: 'opened',
      actor: 'reconciler',
      before: null,
      after: { expected: null, actual: null, difference: null, severity: 'info' },
    }),
    {
      at,
      actor: 'otto',
      action: 'noted',
      journalSeq: 6,
      reason: 'looks like a scanner',
      ...unmoved,
    },
    {
      at,
      actor: 'olga',
      action: 'assigned',
      journalSeq: 7,
      reason: 'nobody → night desk: on duty',
      ...unmoved,
    },
  ]);
  const back = await api.post(`${path}/assign`, { assignee: null, reason: 'shift is over' }, 'ada');
  expect(back.body['assignee']).toBeNull();
});

test.for([
  ['notes', {}],
  ['notes', { note: ' ' }],
  ['notes', { note: 'x', reason: 'y' }],
  ['notes', { note: 'x'.repeat(1_001) }],
  ['assign', { assignee: 'x' }],
  ['assign', { reason: 'x' }],
  ['assign', { assignee: '', reason: 'x' }],
  ['assign', { assignee: 'x'.repeat(257), reason: 'x' }],
] as const)('%s with %o is refused and leaves nothing', async ([action, body]) => {
  const { api, pathOf } = await withBreaks();
  const length = api.open.journalLength();
  expect((await api.post(`${pathOf('malformed')}/${action}`, body)).status).toBe(400);
  expect(api.open.journalLength()).toBe(length);
});

const LISTS: [query: string, types: readonly string[]][] = [
  ['', ['unexplained_movement', 'quarantined', 'malformed']],
  ['sort=openedAt:desc', ['unexplained_movement', 'quarantined', 'malformed']],
  ['sort=openedAt:asc', ['malformed', 'quarantined', 'unexplained_movement']],
  ['sort=severity:desc', ['unexplained_movement', 'quarantined', 'malformed']],
  ['sort=updatedAt:desc', ['malformed', 'unexplained_movement', 'quarantined']],
  ['severity=critical', ['unexplained_movement']],
  ['severity=info', ['malformed']],
  ['blockchainHash=0xa1', ['unexplained_movement']],
  ['blockchainHash=0xa2', []],
  ['assignee=bob', ['malformed']],
  ['assignee=', ['unexplained_movement', 'quarantined']],
  ['assignee=bob&severity=critical', []],
  ['state=open&severity=warning&sort=openedAt:asc', ['quarantined']],
];

test.for(LISTS)('breaks by "%s"', async ([query, types]) => {
  const { api, pathOf } = await withBreaks();
  api.open.at += 1_000;
  await api.post(`${pathOf('malformed')}/assign`, { assignee: 'bob', reason: 'his' });
  expect(typesIn(await api.list(`/v1/breaks?${query}`))).toEqual(types);
});

test('unresolved breaks are the open ones and those under investigation', async () => {
  const { api, pathOf } = await withBreaks();
  const resolved = pathOf('quarantined');
  await api.post(`${pathOf('malformed')}/investigate`, { reason: 'who sends it?' });
  await api.post(`${resolved}/resolve`, { reason: 'a probe' });
  const typesBy = async (state: string) => typesIn(await api.list(`/v1/breaks?state=${state}`));
  expect(await typesBy('open')).toEqual(['unexplained_movement']);
  expect(await typesBy('investigating')).toEqual(['malformed']);
  expect(await typesBy('unresolved')).toEqual(['unexplained_movement', 'malformed']);
});

test('a sort or severity that is none is refused', async () => {
  const { api } = await withBreaks();
  expect((await api.get('/v1/breaks?sort=mood')).body['detail']).toContain('query: sort: ');
  expect((await api.get('/v1/breaks?severity=dire')).body['detail']).toContain('query: severity');
});
