import { expect, test } from 'vitest';
import { actingOn } from '../../../src/api/acting.ts';
import { ROLES } from '../../../src/domain/access/role.ts';
import { apiUnderTest } from '../../api/api-under-test.ts';
import { consoleUnderTest, words, PUBLIC } from '../console-under-test.ts';

const RUN_NOW = { method: 'POST', path: '/v1/reconciliations' } as const;

test('a call acts as the person, whose role the API checks', async () => {
  const api = await apiUnderTest();
  const acting = actingOn(api.app);
  const refused = await acting.call({ name: 'vera', role: 'viewer' }, RUN_NOW);
  expect(refused).toMatchObject({
    kind: 'refused',
    problem: { status: 403, title: 'The role does not allow this' },
  });
  const done = await acting.call({ name: 'olga', role: 'operator' }, RUN_NOW);
  expect(done).toMatchObject({ kind: 'done', body: { matched: 0 } });
  await api.open.deliver({ id: 'strange', stream: 'weather' });
  const { id } = api.open.openBreak('quarantined');
  await acting.call(
    { name: 'olga', role: 'operator' },
    { method: 'POST', path: `/v1/breaks/${id}/resolve`, body: { reason: 'seen' } },
  );
  expect(api.open.breaks().map(({ resolved_by: by }) => by)).toEqual(['olga']);
});

test('a page knows by the API’s own routes whom a call is allowed to', async () => {
  const acting = actingOn((await apiUnderTest()).app);
  const rolesFor = (method: 'GET' | 'POST' | 'PUT', path: string) =>
    ROLES.filter(
      (role) => acting.missingPermission({ name: 'x', role }, { method, path }) === null,
    );
  expect(rolesFor('GET', '/v1/deposits?state=held')).toEqual(ROLES);
  expect(rolesFor('POST', '/v1/credits/crd_1/ack')).toEqual(['crediting', 'operator', 'admin']);
  expect(rolesFor('POST', '/v1/deposits/dep_1/approve')).toEqual(['operator', 'admin']);
  expect(rolesFor('PUT', '/v1/policy')).toEqual(['admin']);
  expect(() => rolesFor('POST', '/v1/deposits/dep_1/aprove')).toThrow(
    'no route for POST /v1/deposits/dep_1/aprove',
  );
});

test('no request from the network names a caller', async () => {
  const api = await apiUnderTest();
  const caller = JSON.stringify({ name: 'ada', role: 'admin' });
  const attempts: Request[] = [
    new Request('http://x/v1/balances', { headers: { caller, 'X-Caller': caller, env: caller } }),
    new Request(`http://x/v1/balances?caller=${encodeURIComponent(caller)}`),
    new Request('http://in-process.invalid/v1/balances'),
    new Request('http://x/v1/reconciliations', { method: 'POST', body: caller }),
    new Request('http://x/v1/balances', { headers: { Cookie: `caller=${caller}` } }),
  ];
  for (const request of attempts) {
    // The listener's binding is Node's connection, and nothing else.
    expect((await api.app.fetch(request, { incoming: {} })).status).toBe(401);
  }
});

test('a public console acts for no stranger', async () => {
  const console = await consoleUnderTest(PUBLIC);
  expect(await console.stranger.get('/console/runs')).not.toContain('Run now');
  expect((await console.stranger.post('/console/runs')).status).toBe(303);
  expect(console.open.rows('SELECT * FROM reconciliations')).toEqual([]);
});

test('a message is shown on the person’s next page, and no live update takes it', async () => {
  const console = await consoleUnderTest();
  const [olga, otto] = [await console.as('olga'), await console.as('otto')];
  await olga.post('/console/runs', { reason: 'asked' });
  const live = await olga.request('/console/runs', { headers: { 'X-Live': '1' } });
  expect(await live.text()).not.toContain('has run');
  expect(await otto.get('/console/runs')).not.toContain('has run');
  expect(words(await olga.get('/console/runs'))).toContain('The reconciliation has run.');
});

test('an action leads back to a page of the console, whatever its form names', async () => {
  const olga = await (await consoleUnderTest()).as('olga');
  const leadsTo = async (path: string, fields: Readonly<Record<string, string>>) => {
    const answer = await olga.post(path, fields);
    return [answer.status, answer.headers.get('Location')];
  };
  const bulk = { step: 'notes', break: 'brk_1', reason: 'seen' };
  expect(await leadsTo('/console/breaks/bulk', { ...bulk, back: '/console/breaks?\r\nx' })).toEqual(
    [303, '/console'],
  );
  expect(
    await leadsTo('/console/breaks/brk%0d%0a1/decimals', { asset: 'a', decimals: '8' }),
  ).toEqual([303, '/console/breaks/brk%0D%0A1']);
});
