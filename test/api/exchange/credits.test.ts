import { serve } from '@hono/node-server';
import { once } from 'node:events';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { verifyWith } from '../../store/evidence.ts';
import { change, onChain, Service } from '../../store/webhook.ts';
import { apiUnderTest, tokenOf, type ApiUnderTest } from '../api-under-test.ts';

/** An API with one credit of 100 in the feed. */
async function withCredit(): Promise<{ api: ApiUnderTest; service: Service; creditId: string }> {
  const api = await apiUnderTest();
  const service = new Service();
  await api.open.deliver(service.confirmed(6));
  await verifyWith(api.open);
  return { api, service, creditId: api.open.lastCreditId() };
}

function credits(answer: { body: Record<string, unknown> }): Record<string, unknown>[] {
  return answer.body['data'] as Record<string, unknown>[];
}

test('the feed gives credits and reversals in order, with their deposits as they were', async () => {
  const { api, service, creditId } = await withCredit();
  await api.open.deliver(service.incoming('rollback'));
  await verifyWith(api.open, { status: 'rolledback' });
  const answer = await api.get('/v1/credits');
  expect(answer.body['next']).toBe(2);
  const [credit, reversal] = credits(answer);
  const depositId = api.open.depositId();
  expect(credit).toMatchObject({
    seq: 1,
    creditId,
    kind: 'credit',
    depositId,
    amount: '100',
    state: 'credited',
    vaultId: 'v1',
    blockchainHash: '0xa1',
  });
  expect(credit).not.toHaveProperty('reverses');
  expect(reversal).toMatchObject({
    seq: 2,
    kind: 'reversal',
    depositId,
    amount: '100',
    reverses: creditId,
    state: 'reversed',
  });
  expect(reversal?.['creditId']).not.toBe(creditId);
});

/** Where `GET /v1/deposits` finds deposits by an on-chain address. */
async function foundAt(api: ApiUnderTest, networkAddress: string): Promise<number> {
  const { body } = await api.get(`/v1/deposits?networkAddress=${networkAddress}`);
  return (body['data'] as unknown[]).length;
}

test.for<[why: string, record: object, is: string | null, finds: Record<string, number>]>([
  ['that of the custody API', { networkAddress: '0xAbCd' }, '0xAbCd', { true: 1, forged: 0 }],
  ['null without one in the API’s record', {}, null, { true: 0, forged: 1 }],
])('the on-chain address of a feed item is %s', async ([_, record, networkAddress, finds]) => {
  const api = await apiUnderTest();
  const service = new Service();
  const reported = (onChainAt: string, confirmations: number) =>
    service.confirmed(confirmations, { balanceChanges: [change('100', onChain(onChainAt))] });
  await api.open.deliver(reported('0xf0f0', 1), reported('0xabcd', 6));
  await verifyWith(api.open, record);
  const [credit] = credits(await api.get('/v1/credits'));
  expect(credit).toMatchObject({ kind: 'credit', addressId: 'adr-1', networkAddress });
  expect(JSON.stringify(credit)).not.toContain('0xf0f0');
  const { body } = await api.get(`/v1/deposits/${api.open.depositId()}`);
  expect(body).toMatchObject({ networkAddress, reportedAddress: '0xf0f0' });
  expect({ true: await foundAt(api, '0xabcd'), forged: await foundAt(api, '0xf0f0') }).toEqual(
    finds,
  );
});

test('reading continues after the cursor of the last answer', async () => {
  const { api, service } = await withCredit();
  await api.open.deliver(service.incoming('rollback'));
  await verifyWith(api.open, { status: 'rolledback' });
  const first = await api.get('/v1/credits?limit=1');
  expect([credits(first).length, first.body['next']]).toEqual([1, 1]);
  const second = await api.get('/v1/credits?limit=1&after=1');
  expect([credits(second)[0]?.['kind'], second.body['next']]).toEqual(['reversal', 2]);
  const last = await api.get('/v1/credits?after=2');
  expect(last.body).toEqual({ data: [], next: 2 });
});

test('after a restore a cursor of the lost history is refused, however far the feed has grown', async () => {
  const { api, service } = await withCredit();
  await api.open.decide({ kind: 'restored', reason: 'put back from a backup' }, 'restore');
  expect((await api.get('/v1/credits?after=2')).status).toBe(409);
  await api.open.deliver(service.incoming('rollback'));
  await verifyWith(api.open, { status: 'rolledback' });
  const stale = await api.get('/v1/credits?after=2');
  expect([stale.status, stale.body['detail']]).toEqual([
    409,
    expect.stringMatching(/has no cursor 2 .*ends at 1000000002.*Read again from 0/),
  ]);
  const known = await api.get('/v1/credits?after=1');
  expect(credits(known).map(({ seq, kind }) => [seq, kind])).toEqual([[1_000_000_002, 'reversal']]);
  expect(known.body['next']).toBe(1_000_000_002);
  const last = await api.get('/v1/credits?after=1000000002');
  expect(last.body).toEqual({ data: [], next: 1_000_000_002 });
});

test('a cursor of another feed is refused by the id of its item, although this feed has the cursor', async () => {
  const { api, creditId } = await withCredit();
  const after = async (cursor: number, id: string) => {
    const { status, body } = await api.get(`/v1/credits?after=${cursor}&afterCreditId=${id}`);
    return [status, body['data'] ?? body['detail']];
  };
  expect(await after(1, creditId)).toEqual([200, []]);
  expect(await after(1, 'crd_of_before')).toEqual([
    409,
    `The feed has ${creditId} at cursor 1, not crd_of_before. Either your program stored a creditId that is not of the item at its cursor: store both of the last item, also of one that it skips. Or this is another feed than the one that you read. Read again from 0; known items keep their creditId.`,
  ]);
  expect(await after(0, creditId)).toEqual([
    409,
    expect.stringMatching(/^The feed has no item at cursor 0/),
  ]);
});

test('an acknowledged deposit becomes `settled`, once and for one reference', async () => {
  const { api, creditId } = await withCredit();
  const path = `/v1/credits/${creditId}/ack`;
  const first = await api.post(path, { reference: 'ledger-7' }, 'chris');
  expect([first.status, first.body['state'], first.body['reference']]).toEqual([
    200,
    'settled',
    'ledger-7',
  ]);
  const journal = api.open.journalLength();
  const again = await api.post(path, { reference: 'ledger-7' }, 'chris');
  expect([again.status, again.body]).toEqual([200, first.body]);
  expect(api.open.journalLength()).toBe(journal);
  const other = await api.post(path, { reference: 'ledger-8' }, 'chris');
  expect([other.status, other.body]).toEqual([
    409,
    {
      type: 'urn:counterfoil:problem:conflict',
      title: 'Conflicts with the current state',
      status: 409,
      reason: 'other-reference',
      detail:
        'Acknowledged already with reference "ledger-7": another consumer may have booked it. Compare your bookings.',
      instance: path,
    },
  ]);
});

test('neither a reversed credit nor its reversal can be acknowledged', async () => {
  const { api, service, creditId } = await withCredit();
  await api.open.deliver(service.incoming('rollback'));
  await verifyWith(api.open, { status: 'rolledback' });
  const [, reversal] = await api.list('/v1/credits');
  for (const id of [creditId, String(reversal?.['creditId'])]) {
    const answer = await api.post(`/v1/credits/${id}/ack`, { reference: 'x' }, 'chris');
    expect(answer).toMatchObject({
      status: 409,
      body: {
        type: 'urn:counterfoil:problem:conflict',
        reason: 'reversed',
        detail: `${id} was reversed, or is a reversal: there is nothing to acknowledge. Go on with the feed.`,
      },
    });
  }
});

test('a consumer that waits is answered when a credit comes', async () => {
  const api = await apiUnderTest();
  const service = new Service();
  await api.open.deliver(service.confirmed(6));
  const call = api.get('/v1/credits?wait=60');
  await expect.poll(() => api.feed.pending).toBe(1);
  await verifyWith(api.open);
  api.feed.announce();
  const answer = await call;
  expect([credits(answer).length, answer.body['next']]).toEqual([1, 1]);
  expect(api.feed.pending).toBe(0);
});

test('waiting ends without news when its time is over', async () => {
  const { api } = await withCredit();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const call = api.get('/v1/credits?after=1&wait=60');
  await expectCall(api);
  await vi.advanceTimersByTimeAsync(60_000);
  expect((await call).body).toEqual({ data: [], next: 1 });
});

/** Without timers, which the test has replaced. */
async function expectCall(api: ApiUnderTest): Promise<void> {
  while (api.feed.pending === 0) {
    await new Promise((resolve) => void setImmediate(resolve));
  }
}

test('a consumer that hangs up is forgotten', async () => {
  const { api } = await withCredit();
  const server = serve({ fetch: api.app.fetch, hostname: '127.0.0.1', port: 0 });
  onTestFinished(async () => {
    server.close();
    await once(server, 'close');
  });
  await once(server, 'listening');
  const call = request({
    host: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
    path: '/v1/credits?after=1&wait=60',
    headers: { Authorization: `Bearer ${tokenOf('vera')}` },
  });
  call.on('error', () => undefined);
  call.end();
  await expect.poll(() => api.feed.pending).toBe(1);
  call.destroy();
  await expect.poll(() => api.feed.pending).toBe(0);
  expect(api.bugs).toEqual([]);
});

test('a server that shuts down answers those who wait', async () => {
  const { api } = await withCredit();
  const call = api.get('/v1/credits?after=1&wait=60');
  await expect.poll(() => api.feed.pending).toBe(1);
  api.feed.close();
  expect((await call).body).toEqual({ data: [], next: 1 });
});
