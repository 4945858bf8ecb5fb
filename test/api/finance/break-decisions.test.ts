import { expect, test } from 'vitest';
import { change, Service } from '../../store/webhook.ts';
import { apiUnderTest } from '../api-under-test.ts';

test('a break is investigated and resolved, by whom and why on record', async () => {
  const api = await apiUnderTest();
  const service = new Service();
  await api.open.deliver(
    service.confirmed(1, { balanceChanges: [change('70')] }),
    service.chain('transaction'),
  );
  await api.open.run();
  const [open] = await api.list('/v1/breaks?state=open&vaultId=v1');
  expect(open).toMatchObject({
    type: 'conservation',
    severity: 'warning',
    state: 'open',
    vaultId: 'v1',
    network: 'ethereum',
    blockchainHash: '0xa1',
    asset: 'ethereum:ETH',
    expected: '100',
    actual: '70',
    difference: '-30',
    openedAt: new Date(api.open.at).toISOString(),
    resolvedAt: null,
  });
  const path = `/v1/breaks/${String(open?.['breakId'])}`;
  const looking = await api.post(`${path}/investigate`, { reason: 'asked the service' }, 'olga');
  expect(looking.body['state']).toBe('investigating');
  const done = await api.post(`${path}/resolve`, { reason: 'their mistake' }, 'ada');
  expect(done.body).toMatchObject({
    state: 'resolved',
    resolvedBy: 'ada',
    resolution: 'their mistake',
  });
  const { body } = await api.get(path);
  expect(
    (body['history'] as { actor: string; action: string; reason: string }[]).map(
      ({ actor, action }) => [actor, action],
    ),
  ).toEqual([
    ['reconciler', 'opened'],
    ['olga', 'investigating'],
    ['ada', 'resolved'],
  ]);
  expect((await api.post(`${path}/resolve`, { reason: 'again' })).status).toBe(409);
  expect(await api.list('/v1/breaks')).toHaveLength(1);
  expect(await api.list('/v1/breaks?state=open')).toEqual([]);
});
