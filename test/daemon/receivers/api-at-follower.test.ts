import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { ReplicaServices } from '../../../src/api/services.ts';
import { ApiUnderTest } from '../../api/api-under-test.ts';
import type { Submitted } from '../../../src/store/port.ts';
import { verifyWith } from '../../store/evidence.ts';
import { openLedgerFile } from '../../store/open-ledger.ts';
import { Service } from '../../store/webhook.ts';

/** The API of a receiver whose replica holds one item of the feed. */
async function atFollower(replica: ReplicaServices) {
  const api = new ApiUnderTest(await openLedgerFile(), { replica });
  const service = new Service();
  await api.open.deliver(service.confirmed(6));
  await verifyWith(api.open);
  /** The replica follows: the feed's second item. */
  const follow = async (): Promise<void> => {
    await api.open.deliver(service.incoming('rollback'));
    await verifyWith(api.open, { status: 'rolledback' });
    api.feed.announce();
  };
  return { api, follow };
}

test('a cursor that another receiver gave waits for the replica, and continues there', async () => {
  const { api, follow } = await atFollower({
    catchUpMsMax: 240_000,
    isLevel: () => Promise.resolve(false),
  });
  const answer = api.get('/v1/credits?after=2');
  await turn();
  await follow();
  expect((await answer).status).toBe(200);
  expect((await answer).body).toEqual({ data: [], next: 2 });
});

test('a replica that lags for longer sends the consumer away for a moment, and refuses no cursor', async () => {
  const { api } = await atFollower({ catchUpMsMax: 10, isLevel: () => Promise.resolve(false) });
  const answer = await api.get('/v1/credits?after=2');
  expect([answer.status, answer.body['detail'], answer.headers.get('retry-after')]).toEqual([
    503,
    'This receiver does not show cursor 2 yet: try again, or ask another receiver.',
    '5',
  ]);
});

test('a cursor that the whole journal does not have is refused', async () => {
  const { api } = await atFollower({ catchUpMsMax: 10, isLevel: () => Promise.resolve(true) });
  for (const cursor of [2, 1_000_000_002]) {
    const answer = await api.get(`/v1/credits?after=${cursor}`);
    expect([answer.status, answer.body['detail']]).toEqual([
      409,
      expect.stringContaining(`has no cursor ${cursor} (it ends at 1)`),
    ]);
  }
});

test('a consumer that leaves, or a receiver that ends, is no reason to refuse a cursor', async () => {
  const { api } = await atFollower({
    catchUpMsMax: 240_000,
    isLevel: () => Promise.resolve(true),
  });
  const answer = api.get('/v1/credits?after=2');
  await turn();
  api.feed.close();
  expect((await answer).status).toBe(503);
});

const UNAVAILABLE: Submitted = {
  kind: 'unavailable',
  effect: 'unknown',
  cause: 'the connection ended',
};
const HALT = ['/v1/policy/halt', { reason: 'a test' }] as const;

test.each<[string, object, Submitted, string]>([
  [
    ...HALT,
    UNAVAILABLE,
    'The store did not confirm the decision. It may have been recorded: look before you repeat it.',
  ],
  [
    '/v1/credits/crd_1/ack',
    { reference: 'booked-1' },
    UNAVAILABLE,
    'The store did not confirm the acknowledgement. It may have been recorded: send it again with the same reference.',
  ],
  [...HALT, { kind: 'busy' }, 'The store is busy; nothing was changed. Try again.'],
])('%s %o that ends as %o says what became of it', async (path, body, submitted, detail) => {
  const submit = (): Promise<Submitted> => Promise.resolve(submitted);
  const api = new ApiUnderTest(await openLedgerFile(), { submit });
  const answer = await api.post(path, body, 'ada');
  expect([answer.status, answer.body['detail']]).toEqual([503, detail]);
});
