import { afterEach, expect, test } from 'vitest';
import { VirtualClock } from '../../../src/simulator/clock.ts';
import { Faults } from '../../../src/simulator/control/fault.ts';
import { Delivery } from '../../../src/simulator/delivery/delivery.ts';
import { durableAnswers } from '../../../src/simulator/durable-answer.ts';
import { State } from '../../../src/simulator/state/state.ts';
import { startReceiver } from '../webhook-receiver.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

/** A disk with a speed that the test sets, and that can fail. */
function disk() {
  let done = (): void => undefined;
  let fail = (_error: Error): void => undefined;
  const written = new Promise<void>((resolve, reject) => {
    done = resolve;
    fail = reject;
  });
  return { committed: () => written, done, fail };
}

async function deliveryOver(committed: () => Promise<void>) {
  const clock = new VirtualClock();
  const state = new State({ seed: 1 });
  const faults = new Faults(state.table('faults'), state.seed);
  const policy = { allowLoopback: true, allowPrivate: false };
  const delivery = new Delivery({ state, clock, faults, policy, committed });
  const receiver = await startReceiver();
  ends.push(
    () => receiver.close(),
    () => delivery.stop(),
  );
  delivery.subscribe('v', receiver.url, ['outgoing']);
  const body = { id: 'a', timestamp: 0, vaultId: 'v', stream: 'outgoing', type: 'signed' } as const;
  delivery.enqueue('v', { ...body, transactionId: 't', orderId: 'o', network: 'ethereum' });
  return { clock, delivery, receiver };
}

test('no webhook reports a change that is not yet on disk', async () => {
  const slow = disk();
  const { clock, receiver } = await deliveryOver(slow.committed);
  const finished = clock.advance(0);
  await new Promise((resolve) => setImmediate(resolve));
  expect(receiver.hits).toEqual([]);
  slow.done();
  await finished;
  expect(receiver.hits.map(({ body }) => body.id)).toEqual(['a']);
});

test('a webhook whose change cannot be written is not sent, and is tried again', async () => {
  let broken = true;
  const { clock, delivery, receiver } = await deliveryOver(() =>
    broken ? Promise.reject(new Error('disk full')) : Promise.resolve(),
  );
  await clock.advance(0);
  expect(receiver.hits).toEqual([]);
  expect([...delivery.attempts.list()]).toMatchObject([
    { statusCode: null, error: 'not sent: the core could not write its state file' },
  ]);
  broken = false;
  await clock.advance(10_000);
  expect(receiver.hits.map(({ body }) => body.id)).toEqual(['a']);
});

test('no answer reports a change that is not yet on disk', async () => {
  const slow = disk();
  const answer = durableAnswers(() => new Response('{}', { status: 201 }), {
    committed: slow.committed,
    now: () => 0,
  });
  let status: number | undefined;
  const answered = Promise.resolve(answer(new Request('http://core/x'), {})).then((response) => {
    status = response.status;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(status).toBeUndefined();
  slow.done();
  await answered;
  expect(status).toBe(201);
});

test('a change that cannot be written is answered with 500', async () => {
  const broken = disk();
  broken.fail(new Error('disk full'));
  const answer = durableAnswers(() => new Response('{}', { status: 201 }), {
    committed: broken.committed,
    now: () => 0,
  });
  const response = await answer(new Request('http://core/api/v1/x?y=1', { method: 'POST' }), {});
  expect(response.status).toBe(500);
  expect(await response.json()).toEqual({
    statusCode: 500,
    errorCode: 'GE-1',
    errorMessage: 'The core could not write its state file',
    timestamp: '1970-01-01T00:00:00.000Z',
    endpoint: 'POST /api/v1/x',
  });
});
