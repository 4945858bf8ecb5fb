import { expect, test } from 'vitest';
import { sent } from '../../store/evidence.ts';
import { Service } from '../../store/webhook.ts';
import { apiUnderTest } from '../api-under-test.ts';

test('one withdrawal is answered with the hashes that it has, and what custody said of them', async () => {
  const api = await apiUnderTest();
  await api.open.deliver(new Service().outgoing('mined'));
  const claimed = await api.get('/v1/withdrawals/wd-tx');
  expect(claimed.body).toMatchObject({
    transactionId: 'wd-tx',
    status: 'mined',
    custody: 'unasked',
    ownHashes: [{ network: 'ethereum', blockchainHash: '0xa1', certainty: 'claimed' }],
  });
  await api.open.record({ kind: 'outgoing', transaction: sent(), graceMs: 0 });
  const confirmed = await api.get('/v1/withdrawals/wd-tx');
  expect(confirmed.body).toMatchObject({
    custody: 'known',
    ownHashes: [{ blockchainHash: '0xa1', certainty: 'confirmed' }],
  });
  expect(await api.list('/v1/withdrawals?custody=known')).toMatchObject([
    { transactionId: 'wd-tx' },
  ]);
  expect(await api.list('/v1/withdrawals?custody=doubted')).toEqual([]);
});

test('a withdrawal that nobody reported is not found', async () => {
  const api = await apiUnderTest();
  const { status, body } = await api.get('/v1/withdrawals/wd-9');
  expect([status, body['detail']]).toEqual([
    404,
    'There is no withdrawal wd-9: list them with GET /v1/withdrawals.',
  ]);
});
