import { describe, expect, test } from 'vitest';
import { DepositId } from '../../src/domain/ids.ts';
import { verifyWith } from '../store/evidence.ts';
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
    // One more confirmation is nothing that a person decides about.
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
        'it changed since you read it: its hold by a person was no and is yes now. Nothing was done: read it again, then decide',
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
            'it changed since you read it: its assignee was none and is otto now. Nothing was done: read it again, then decide',
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
    /^olga has changed the policy since you read it \(a fork\), and it is pol_\d+ now\. Nothing was resumed/,
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
