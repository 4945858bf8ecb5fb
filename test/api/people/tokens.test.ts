import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { decode } from '../../../src/intake/decode.ts';
import { verify } from '../../../src/store/sqlite/audit/verify.ts';
import { temporaryPath } from '../../store/open-ledger.ts';
import { apiUnderTest, type ApiUnderTest } from '../api-under-test.ts';

const WHY = { reason: 'ticket 12' };
const NEW_TOKEN = { name: 'desk', role: 'crediting', ...WHY };

function bearer(token: unknown): { headers: { Authorization: string } } {
  return { headers: { Authorization: `Bearer ${String(token)}` } };
}

/** What a replay of the store's journal finds different. */
function problemsOf({ open }: ApiUnderTest): readonly string[] {
  const path = temporaryPath();
  writeFileSync(path, open.db.serialize());
  const progress = { start: () => undefined, tick: () => undefined, done: () => undefined };
  return verify(path, { decode, progress }).checks.flatMap(({ problems }) => problems);
}

async function statusWith(api: ApiUnderTest, token: unknown): Promise<number> {
  return (await api.request('GET', '/v1/deposits', bearer(token))).status;
}

test('an admin makes a token that works at once with its role, and the store keeps its digest alone', async () => {
  const api = await apiUnderTest();
  const { status, body } = await api.post('/v1/tokens', NEW_TOKEN, 'ada');
  expect([status, body]).toEqual([
    200,
    {
      name: 'desk',
      role: 'crediting',
      source: 'api',
      state: 'active',
      version: expect.stringMatching(/^tok_[0-9]+$/) as string,
      changedAt: expect.any(String) as string,
      changedBy: 'ada',
      reason: 'ticket 12',
      lastUsedAt: null,
      token: expect.stringMatching(/^[\w-]{43}$/) as string,
    },
  ]);
  const token = String(body['token']);
  expect(await statusWith(api, token)).toBe(200);
  expect((await api.request('GET', '/v1/tokens', bearer(token))).status).toBe(403);
  const sha256 = createHash('sha256').update(token).digest('hex');
  expect(api.open.rows('SELECT name, role, sha256, actor, reason FROM token_changes')).toEqual([
    { name: 'desk', role: 'crediting', sha256, actor: 'ada', reason: 'ticket 12' },
  ]);
  const list = await api.request('GET', '/v1/tokens', { as: 'audra' });
  expect(JSON.stringify(list.body)).not.toContain(token);
  expect(JSON.stringify(list.body)).not.toContain(sha256);
});

test('a rotation ends the old token at once, and one that was based on another version is refused', async () => {
  const api = await apiUnderTest();
  const { body: first } = await api.post('/v1/tokens', NEW_TOKEN, 'ada');
  const rotation = { version: first['version'], ...WHY };
  const { body: second } = await api.post('/v1/tokens/desk/rotate', rotation, 'ada');
  expect([await statusWith(api, first['token']), await statusWith(api, second['token'])]).toEqual([
    401, 200,
  ]);
  const stale = await api.post('/v1/tokens/desk/rotate', rotation, 'ada');
  expect([stale.status, stale.body['detail']]).toEqual([
    412,
    'The token desk was rotated since you read it.',
  ]);
  expect(await statusWith(api, second['token'])).toBe(200);
});

test('a revoked token stays revoked, and its name is never used again', async () => {
  const api = await apiUnderTest();
  const { body } = await api.post('/v1/tokens', NEW_TOKEN, 'ada');
  expect((await api.post('/v1/tokens/desk/revoke', WHY, 'ada')).body['state']).toBe('revoked');
  expect(await statusWith(api, body['token'])).toBe(401);
  const details = [
    await api.post('/v1/tokens', NEW_TOKEN, 'ada'),
    await api.post('/v1/tokens/desk/revoke', WHY, 'ada'),
    await api.post('/v1/tokens/desk/rotate', { version: 'tok_9', ...WHY }, 'ada'),
    await api.post('/v1/tokens/none/revoke', WHY, 'ada'),
    await api.post('/v1/tokens', { ...NEW_TOKEN, name: 'vera' }, 'ada'),
    await api.post('/v1/tokens/vera/revoke', WHY, 'ada'),
  ].map(({ status, body: { detail } }) => [status, detail]);
  const configured =
    'The token vera is in the configuration (api.tokens): change it there, and restart the daemon.';
  expect(details).toEqual([
    [409, 'The name desk is used: a token had it and is revoked; choose another name.'],
    [409, 'The token desk is revoked.'],
    [409, 'The token desk is revoked.'],
    [404, 'No token none was made at run time: list them with GET /v1/tokens.'],
    [409, configured],
    [409, configured],
  ]);
});

test.for(['person:ana', 'config', 'reconciler', '', 'a b', '-a', 'x'.repeat(65)])(
  'a token cannot have the name "%s"',
  async (name) => {
    const api = await apiUnderTest();
    const { status } = await api.post('/v1/tokens', { ...NEW_TOKEN, name }, 'ada');
    expect(status).toBe(400);
  },
);

test('the list has every token with its role and last use, those of the configuration first', async () => {
  const api = await apiUnderTest();
  await api.post('/v1/tokens', NEW_TOKEN, 'ada');
  await api.get('/v1/deposits', 'vera');
  const { body } = await api.request('GET', '/v1/tokens', { as: 'audra' });
  const rows = (body['data'] as Record<string, unknown>[]).map((one) => [
    one['name'],
    one['source'],
    one['version'] === null,
    one['lastUsedAt'] !== null,
  ]);
  expect(rows).toEqual([
    ['vera', 'config', true, true],
    ['chris', 'config', true, false],
    ['fiona', 'config', true, false],
    ['olga', 'config', true, false],
    ['otto', 'config', true, false],
    ['ada', 'config', true, true],
    ['audra', 'config', true, true],
    ['desk', 'api', false, false],
  ]);
});

test('a replay of the journal makes the same tokens', async () => {
  const api = await apiUnderTest();
  const { body } = await api.post('/v1/tokens', NEW_TOKEN, 'ada');
  await api.post('/v1/tokens/desk/rotate', { version: body['version'], ...WHY }, 'ada');
  await api.post('/v1/tokens', { ...NEW_TOKEN, name: 'till' }, 'ada');
  await api.post('/v1/tokens/till/revoke', WHY, 'ada');
  expect(problemsOf(api)).toEqual([]);
  api.open.db.exec("UPDATE token_changes SET role = 'admin' WHERE name = 'desk'");
  expect(problemsOf(api)).not.toEqual([]);
});

test('a rotation may give another role: the name stays, and a replay finds the same', async () => {
  const api = await apiUnderTest();
  const { body: first } = await api.post('/v1/tokens', NEW_TOKEN, 'ada');
  const { version } = first;
  const rotation = { version, role: 'viewer', reason: 'moved to support' };
  const { status, body } = await api.post('/v1/tokens/desk/rotate', rotation, 'ada');
  expect([status, body['name'], body['role']]).toEqual([200, 'desk', 'viewer']);
  const headers = bearer(body['token']);
  expect((await api.request('GET', '/v1/deposits', headers)).status).toBe(200);
  expect((await api.request('POST', '/v1/credits/crd_1/ack', headers)).status).toBe(403);
  expect(await statusWith(api, first['token'])).toBe(401);
  const same = { version: body['version'], reason: 'yearly' };
  expect((await api.post('/v1/tokens/desk/rotate', same, 'ada')).body['role']).toBe('viewer');
  const wrong = { version: body['version'], role: 'emperor', reason: 'x' };
  expect((await api.post('/v1/tokens/desk/rotate', wrong, 'ada')).status).toBe(400);
  expect(problemsOf(api)).toEqual([]);
});
