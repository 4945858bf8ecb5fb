import { expect, test } from 'vitest';
import { verifyWith } from '../../store/evidence.ts';
import { change, decimals, Service } from '../../store/webhook.ts';
import { apiUnderTest, type ApiUnderTest, type Person } from '../api-under-test.ts';

const PATH = '/v1/assets/ethereum%3AETH/decimals';

/** ETH is pinned to 6 decimals by one forged webhook; a deposit with 18 decimals, six deep, is held. */
async function pinnedWrongly(): Promise<ApiUnderTest> {
  const api = await apiUnderTest();
  const service = new Service();
  const forged = { ...change('1'), ...decimals(6) };
  await api.open.deliver(
    service.incoming('mempool', { blockchainHash: '0xf0', balanceChanges: [forged] }),
    service.confirmed(6, { balanceChanges: [{ ...change('100'), ...decimals(18) }] }),
  );
  return api;
}

function trueDeposit(api: ApiUnderTest) {
  const found = api.open.deposits().find(({ amount }) => amount === '100');
  if (found === undefined) throw new Error('no deposit');
  return found;
}

test('an admin corrects the decimals of an asset: what waited for it goes on, and its break ends', async () => {
  const api = await pinnedWrongly();
  expect(trueDeposit(api)).toMatchObject({ state: 'held', reason: 'decimals_changed' });
  await verifyWith(api.open, {}, trueDeposit(api).deposit_id as never);
  expect(api.open.openBreaks()).toEqual(['decimals_changed']);
  const answer = await api.post(PATH, { decimals: 18, reason: 'as on its contract' }, 'ada');
  expect(answer).toMatchObject({
    status: 200,
    body: {
      asset: 'ethereum:ETH',
      decimals: 18,
      changes: [{ actor: 'ada', reason: 'as on its contract', before: 6, after: 18 }],
    },
  });
  expect(trueDeposit(api)).toMatchObject({ state: 'credited', decimals_changed: 0 });
  expect(api.open.feedLines()).toEqual(['credit 100']);
  expect(api.open.openBreaks()).toEqual([]);
});

test('later deposits with the corrected decimals are not held, and others are', async () => {
  const api = await pinnedWrongly();
  await api.post(PATH, { decimals: 18, reason: 'as on its contract' }, 'ada');
  const service = new Service();
  for (const [id, count] of Object.entries({ later: 18, odd: 8 })) {
    const balanceChanges = [{ ...change('7'), ...decimals(count) }];
    await api.open.deliver({
      ...service.confirmed(6, { blockchainHash: `0x${id}`, balanceChanges }),
      id,
    });
  }
  const states = api.open
    .deposits()
    .filter(({ amount }) => amount === '7')
    .map(({ blockchain_hash: hash, state, reason }) => `${hash} ${state} ${String(reason)}`);
  expect(states.sort()).toEqual(['0xlater verifying null', '0xodd held decimals_changed']);
});

test('a deposit that came with a third count stays held, and so does one that a person holds', async () => {
  const api = await pinnedWrongly();
  const service = new Service();
  const balanceChanges = [{ ...change('8'), ...decimals(8) }];
  await api.open.deliver({
    ...service.confirmed(6, { blockchainHash: '0xodd', balanceChanges }),
    id: 'odd',
  });
  const depositId = trueDeposit(api).deposit_id;
  await api.post(`/v1/deposits/${depositId}/hold`, { reason: 'asked for it' });
  await api.post(PATH, { decimals: 18, reason: 'as on its contract' }, 'ada');
  expect(trueDeposit(api)).toMatchObject({ state: 'held', reason: 'operator_hold' });
  const odd = api.open.deposits().find(({ amount }) => amount === '8');
  expect(odd).toMatchObject({ state: 'held', reason: 'decimals_changed' });
  await api.post(`/v1/deposits/${depositId}/release`, { reason: 'fine' });
  expect(trueDeposit(api).state).toBe('verifying');
});

test('a correction of decimals that another admin has corrected since is refused', async () => {
  const api = await pinnedWrongly();
  const { version } = (await api.get(PATH, 'ada')).body;
  await api.post(PATH, { decimals: 18, reason: 'as on its contract' }, 'ada');
  const late = { decimals: 8, reason: 'as in the notification', basis: version };
  expect(await api.post(PATH, late, 'ada')).toMatchObject({
    status: 409,
    body: {
      detail: expect.stringContaining('its number of decimals was 6 and is 18 now') as unknown,
    },
  });
  expect((await api.get(PATH, 'ada')).body).toMatchObject({ decimals: 18, version: '[18]' });
  const { body } = await api.post(PATH, { ...late, basis: '[18]' }, 'ada');
  expect(body).toMatchObject({ decimals: 8 });
});

test('everybody may read the decimals, and admins alone may correct them', async () => {
  const api = await pinnedWrongly();
  const { status, body } = await api.get(PATH, 'vera');
  expect([status, body]).toEqual([
    200,
    { asset: 'ethereum:ETH', decimals: 6, changes: [], version: '[6]' },
  ]);
  const answers: [Person, number][] = [];
  for (const person of ['vera', 'chris', 'olga', 'ada'] as const) {
    answers.push([person, (await api.post(PATH, { decimals: 6, reason: 'x' }, person)).status]);
  }
  expect(answers).toEqual([
    ['vera', 403],
    ['chris', 403],
    ['olga', 403],
    ['ada', 200],
  ]);
});

test('the same decimals again change nothing and leave no trace', async () => {
  const api = await pinnedWrongly();
  const before = api.open.journalLength();
  const { body } = await api.post(PATH, { decimals: 6, reason: 'again' }, 'ada');
  expect(body['changes']).toEqual([]);
  expect(api.open.journalLength()).toBe(before);
});

test.for([
  ['an asset that was never seen with any', '/v1/assets/ethereum%3ANONE/decimals', 18, 404],
  ['a fraction', PATH, 1.5, 400],
  ['a negative count', PATH, -1, 400],
  ['more than a byte holds', PATH, 256, 400],
] as const)('%s is refused', async ([, path, count, status]) => {
  const api = await pinnedWrongly();
  const answer = await api.post(path, { decimals: count, reason: 'x' }, 'ada');
  expect(answer.status).toBe(status);
  expect((await api.post(PATH, { decimals: 18 }, 'ada')).status).toBe(400);
});
