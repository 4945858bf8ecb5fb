import { describe, expect, test } from 'vitest';
import { DepositId } from '../../src/domain/ids.ts';
import { verifyWith } from '../store/evidence.ts';
import { factOf } from '../store/open-ledger.ts';
import { AT_ADDRESS, change, Service } from '../store/webhook.ts';
import { apiUnderTest, type ApiUnderTest } from './api-under-test.ts';

interface Scene {
  readonly api: ApiUnderTest;
  readonly service: Service;
}

/** The decisions in the journal, as it keeps them. */
function decisionsIn({ api }: Scene): Record<string, unknown>[] {
  return api.open
    .bodies('decision')
    .map((body) => JSON.parse(body) as Record<string, unknown>)
    .filter(({ kind }) => kind !== 'policy');
}

async function withDeposit(): Promise<Scene & { path: string; depositId: string }> {
  const scene = { api: await apiUnderTest(), service: new Service() };
  await scene.api.open.deliver(scene.service.confirmed(3));
  const depositId = scene.api.open.depositId();
  return { ...scene, depositId, path: `/v1/deposits/${depositId}` };
}

async function withBreak(): Promise<Scene & { path: string }> {
  const scene = { api: await apiUnderTest(), service: new Service() };
  await scene.api.open.deliver(
    scene.service.chain('transaction', { balanceChanges: [change('1500', AT_ADDRESS)] }),
  );
  await scene.api.open.unboundedRun();
  return { ...scene, path: `/v1/breaks/${scene.api.open.openBreak('unexplained_movement').id}` };
}

async function versionAt({ api }: Scene, path: string): Promise<string> {
  return String((await api.get(path)).body['version']);
}

describe('a decision about a deposit', () => {
  test('names the version that the person read, and the journal keeps it', async () => {
    const scene = await withDeposit();
    const { api, path, depositId } = scene;
    const basis = await versionAt(scene, path);
    // A further confirmation changes nothing that a decision is based on.
    await api.open.deliver(scene.service.confirmed(4));
    expect(await api.post(`${path}/hold`, { reason: 'a complaint', basis })).toMatchObject({
      status: 200,
      body: { state: 'held' },
    });
    expect(decisionsIn(scene)).toEqual([{ kind: 'hold', depositId, reason: 'a complaint', basis }]);
  });

  test('of an old version answers 409, says what changed, and journals nothing', async () => {
    const scene = await withDeposit();
    const { api, path } = scene;
    const basis = await versionAt(scene, path);
    await api.post(`${path}/hold`, { reason: 'a complaint' }, 'otto');
    const before = api.open.journalLength();
    for (const [step, more] of [
      ['hold', {}],
      ['release', {}],
      ['approve', {}],
      ['attribute', { attributedTo: 'customer 7' }],
    ] as const) {
      const answer = await api.post(`${path}/${step}`, { ...more, reason: 'sure', basis });
      expect([step, answer.status, answer.body['detail']]).toEqual([
        step,
        409,
        'It changed since you read it: its hold by a person was no and is yes now. Nothing was done: read it again, then decide.',
      ]);
    }
    expect(api.open.journalLength()).toBe(before);
  });

  test('without a basis compares nothing', async () => {
    const { api, path, depositId } = await withDeposit();
    await api.post(`${path}/hold`, { reason: 'a complaint' }, 'otto');
    expect((await api.post(`${path}/release`, { reason: 'withdrawn' })).status).toBe(200);
    await verifyWith(api.open, {}, DepositId(depositId));
    expect(api.open.depositState()).toBe('credited');
  });
});

describe('a decision about a break', () => {
  test.for([
    ['resolve', {}],
    ['investigate', {}],
    ['assign', { assignee: 'olga' }],
  ] as const)(
    '%s of an old version answers 409, and of the current one is kept',
    async ([step, more]) => {
      const scene = await withBreak();
      const { api, path } = scene;
      const basis = await versionAt(scene, path);
      await api.post(`${path}/assign`, { assignee: 'otto', reason: 'his vault' }, 'otto');
      const body = { ...more, reason: 'sure' };
      expect(await api.post(`${path}/${step}`, { ...body, basis })).toMatchObject({
        status: 409,
        body: {
          detail:
            'It changed since you read it: its assignee was none and is otto now. Nothing was done: read it again, then decide.',
        },
      });
      const current = await versionAt(scene, path);
      expect((await api.post(`${path}/${step}`, { ...body, basis: current })).status).toBe(200);
      expect(decisionsIn(scene).at(-1)).toMatchObject({ kind: step, basis: current });
    },
  );

  test('a note is never refused for its basis: it decides nothing', async () => {
    const scene = await withBreak();
    const { api, path } = scene;
    const basis = await versionAt(scene, path);
    await api.post(`${path}/resolve`, { reason: 'an airdrop' });
    expect((await api.post(`${path}/notes`, { note: 'see ticket 9', basis })).status).toBe(200);
    expect(decisionsIn(scene).at(-1)).toMatchObject({ kind: 'note', basis });
  });
});

test('a resume of an old policy answers 409; a halt stops at once, whatever changed', async () => {
  const scene = { api: await apiUnderTest(), service: new Service() };
  const { api } = scene;
  const basis = await versionAt(scene, '/v1/policy');
  const halt = { network: 'ethereum', reason: 'a fork', basis };
  expect((await api.post('/v1/policy/halt', halt)).status).toBe(200);
  expect((await api.post('/v1/policy/halt', { ...halt, network: 'ripple' })).status).toBe(200);
  const answer = await api.post('/v1/policy/resume', { ...halt, reason: 'over' });
  expect(answer.status).toBe(409);
  expect(answer.body['detail']).toMatch(
    /^The policy has changed since you read it: olga set it \(a fork\), and it is pol_\d+ now\. Nothing was resumed/,
  );
  const current = await versionAt(scene, '/v1/policy');
  const resume = { network: 'ethereum', reason: 'over', basis: current };
  expect((await api.post('/v1/policy/resume', resume)).status).toBe(200);
  expect(decisionsIn(scene).map(({ kind, basis: kept }) => [kind, kept])).toEqual([
    ['halt', basis],
    ['halt', basis],
    ['resume', current],
  ]);
});

const RULE = {
  rule: 'old wallet',
  vaultId: 'v1',
  until: '2026-12-31',
  reason: 'ticket 1',
  owner: 'finance',
};

test('an exemption names the break it was filled from; a break that changed answers 409', async () => {
  const scene = await withBreak();
  const { api, path } = scene;
  const filled = { ...RULE, breakId: path.slice('/v1/breaks/'.length) };
  const basis = await versionAt(scene, path);
  await api.post(`${path}/assign`, { assignee: 'otto', reason: 'his vault' }, 'otto');
  const stale = await api.post('/v1/exemptions', { ...filled, basis });
  expect([stale.status, stale.body['detail']]).toEqual([
    409,
    'It changed since you read it: its assignee was none and is otto now. Nothing was done: read it again, then decide.',
  ]);
  const current = await versionAt(scene, path);
  expect((await api.post('/v1/exemptions', { ...filled, basis: current })).status).toBe(200);
  const { breakId: filledFrom } = filled;
  expect(decisionsIn(scene).at(-1)).toMatchObject({ kind: 'exempt', filledFrom, basis: current });
});

test('an exemption with a basis and no break, or with an unknown break, is refused', async () => {
  const { api } = await withBreak();
  expect(await api.post('/v1/exemptions', { ...RULE, basis: '[]' })).toMatchObject({
    status: 400,
    body: { detail: 'body: basis needs breakId, the break whose version it is.' },
  });
  const unknown = { ...RULE, breakId: 'brk_9', basis: '[]' };
  expect((await api.post('/v1/exemptions', unknown)).status).toBe(404);
});

test('the end of a rule of an old version answers 409, and of the current one is kept', async () => {
  const scene = { api: await apiUnderTest(), service: new Service() };
  const { api } = scene;
  const end = (basis: unknown) =>
    api.post('/v1/exemptions/old%20wallet/end', { reason: 'repaired', basis });
  const { body: first } = await api.post('/v1/exemptions', RULE);
  expect((await end(first['version'])).status).toBe(200);
  const { body: second } = await api.post('/v1/exemptions', RULE, 'otto');
  const stale = await end(first['version']);
  expect(stale.status).toBe(409);
  expect(stale.body['detail']).toContain('its author was olga and is otto now');
  expect((await end(second['version'])).status).toBe(200);
  const { version: basis } = second;
  expect(decisionsIn(scene).at(-1)).toMatchObject({ kind: 'end-exemption', basis });
});

test('a second retry of what was read as kept answers 409, and a basis is kept', async () => {
  const scene = { api: await apiUnderTest(), service: new Service() };
  const { api } = scene;
  const fact = factOf(scene.service.confirmed(6), api.open.at);
  if (fact.kind !== 'notification') throw new Error('not understood');
  const { at, raw } = fact;
  const kept = { kind: 'quarantined', at, raw, id: 'k1', defect: 'unknown type' } as const;
  await api.open.commit([kept]);
  const [row] = await api.list('/v1/quarantine');
  const { quarantineId, version: basis } = row as { quarantineId: string; version: string };
  const path = `/v1/quarantine/${quarantineId}/retry`;
  expect((await api.post(path, { reason: 'after the upgrade', basis })).status).toBe(200);
  expect(decisionsIn(scene).at(-1)).toMatchObject({ kind: 'retry', basis });
  expect(await api.post(path, { reason: 'again', basis })).toMatchObject({
    status: 409,
    body: {
      detail:
        'It changed since you read it: its state was kept and is retried now. Nothing was done: read it again, then decide.',
    },
  });
});

test('a revocation of a token that was rotated since answers 409, and of the current one is kept', async () => {
  const scene = { api: await apiUnderTest(), service: new Service() };
  const { api } = scene;
  const made = { name: 'desk', role: 'viewer', reason: 'ticket 2' };
  const { body: first } = await api.post('/v1/tokens', made, 'ada');
  const rotation = { version: first['version'], reason: 'yearly' };
  const { body: second } = await api.post('/v1/tokens/desk/rotate', rotation, 'ada');
  const revoke = (basis: unknown) =>
    api.post('/v1/tokens/desk/revoke', { reason: 'left', basis }, 'ada');
  expect(await revoke(first['version'])).toMatchObject({
    status: 409,
    body: {
      detail:
        'The token desk was rotated since you read it. Nothing was done: read it again, then decide.',
    },
  });
  expect((await revoke(second['version'])).status).toBe(200);
  const { version: basis } = second;
  expect(decisionsIn(scene).at(-1)).toMatchObject({ kind: 'revoke-token', basis });
});
