import type { Counted } from '../../src/custody/budget/shared-count.ts';
import { expect, test } from 'vitest';
import { errorReply } from './scripted-service.ts';
import { VirtualClock } from './virtual-clock.ts';
import { startClient, TRANSACTION } from './client-under-test.ts';

test('a 401 makes the next request bring a new token', async () => {
  const { service, clock, client, soon } = await startClient();
  service.answerInTurn(errorReply(401, 'AU-1'), { json: TRANSACTION });
  await client.transaction('tx-1', soon());
  clock.advance(1_000);
  await client.transaction('tx-1', soon());
  const [first, second] = service.asked.map(({ headers }) => headers.authorization);
  expect(second).not.toBe(first);
});

test.each([
  ['a 500', errorReply(500, 'GE-1')],
  ['a 502 of a proxy', { status: 502, text: '<html>bad gateway</html>' }],
  ['a broken connection', { fault: 'reset' as const }],
  ['a cut body', { fault: 'cut' as const }],
  ['half a JSON', { text: '{"data":[{"transa' }],
  ['an empty body', { text: '' }],
])('%s is overcome by a second try', async (_name, reply) => {
  const { service, client, soon } = await startClient();
  service.answerInTurn(reply, { json: TRANSACTION });
  const outcome = await client.transaction('tx-1', soon());
  expect(outcome).toEqual({ kind: 'ok', value: TRANSACTION });
  expect(service.asked).toHaveLength(2);
});

test('retries are few, and their waits grow with full jitter', async () => {
  const { service, clock, client, soon } = await startClient();
  service.answer(() => errorReply(503, 'HAC-1'));
  const outcome = await client.transaction('tx-1', soon());
  expect(outcome).toMatchObject({
    kind: 'unavailable',
    cause: { kind: 'server-error', status: 503, error: { errorCode: 'HAC-1' } },
  });
  expect(service.asked).toHaveLength(3);
  expect(clock.jumps).toEqual([250, 500]);
});

test('the wait that a 503 asks for is respected', async () => {
  const { service, clock, client, soon } = await startClient();
  service.answerInTurn(errorReply(503, 'HAC-1', { 'retry-after': '7' }), { json: TRANSACTION });
  await client.transaction('tx-1', soon());
  expect(clock.jumps).toEqual([7_000]);
});

test('a retry that would end after the deadline is not made', async () => {
  const { service, client, soon } = await startClient();
  service.answer(() => errorReply(503, 'HAC-1', { 'retry-after': '60' }));
  const outcome = await client.transaction('tx-1', soon(60_000));
  expect(outcome).toMatchObject({ kind: 'unavailable', cause: { kind: 'server-error' } });
  expect(service.asked).toHaveLength(1);
});

test('a call that changes something is sent once, with any result', async () => {
  const { service, client, soon } = await startClient();
  service.answer(() => ({ fault: 'reset' }));
  const outcome = await client.subscriptions.pullRetriesForward('v-1', soon());
  expect(outcome).toMatchObject({ kind: 'unavailable', cause: { kind: 'connection' } });
  expect(service.asked).toHaveLength(1);
});

test('an answer that does not come is given up after 10 s, and tried again', async () => {
  const { service, clock, attempts, client, soon } = await startClient();
  service.answerInTurn({ fault: 'hang' }, { json: TRANSACTION });
  const heard = service.heard();
  const call = client.transaction('tx-1', soon());
  await heard;
  clock.advance(9_999);
  expect(attempts).toEqual([]);
  clock.advance(1);
  expect(await call).toEqual({ kind: 'ok', value: TRANSACTION });
  expect(attempts).toMatchObject([
    { operation: 'transaction', result: 'unavailable', status: null, durationMs: 10_000 },
    { operation: 'transaction', result: 'ok', status: 200 },
  ]);
});

test('a deadline nearer than 10 s ends the attempt, and does not count against the service', async () => {
  const { service, clock, client, soon } = await startClient(new VirtualClock());
  service.answer(() => ({ fault: 'hang' }));
  const heard = service.heard();
  const call = client.transaction('tx-1', soon(4_000));
  await heard;
  clock.advance(4_000);
  expect(await call).toEqual({ kind: 'unavailable', cause: { kind: 'deadline' } });
  expect(client.circuit()).toEqual({ kind: 'closed', failures: 0 });
});

test('closing the client ends a call under way', async () => {
  const { service, client, soon } = await startClient();
  service.answer(() => ({ fault: 'hang' }));
  const heard = service.heard();
  const call = client.transaction('tx-1', soon());
  await heard;
  await client.close();
  expect(await call).toEqual({ kind: 'unavailable', cause: { kind: 'deadline' } });
});

test('closing the client ends a call that waits for its next attempt', async () => {
  const { service, client, attempts, soon } = await startClient(new VirtualClock());
  service.answer(() => errorReply(500, 'GE-1'));
  const call = client.transaction('tx-1', soon());
  await expect.poll(() => attempts.length).toBe(1);
  await client.close();
  expect(await call).toEqual({ kind: 'unavailable', cause: { kind: 'deadline' } });
  expect(attempts).toHaveLength(1);
});

test('closing the client ends a call whose request is not counted yet, and it is never sent', async () => {
  const { service, clientOf, soon } = await startClient();
  const counting: ((value: Counted<number>) => void)[] = [];
  const ended: number[] = [];
  const client = clientOf({
    count: {
      recent: () => Promise.resolve({ kind: 'done', value: [] }),
      start: () => new Promise((resolve) => counting.push(resolve)),
      finish: (id) => void ended.push(id),
      close: () => Promise.resolve(),
    },
  });
  const call = client.transaction('tx-1', soon());
  await expect.poll(() => counting.length).toBe(1);
  await client.close();
  expect(await call).toEqual({ kind: 'unavailable', cause: { kind: 'deadline' } });
  counting[0]?.({ kind: 'done', value: 7 });
  await expect.poll(() => ended).toEqual([7]);
  expect(service.asked).toEqual([]);
});

test('nothing is sent after the deadline', async () => {
  const { service, client, soon } = await startClient();
  const outcome = await client.transaction('tx-1', soon(0));
  expect(outcome).toEqual({ kind: 'unavailable', cause: { kind: 'deadline' } });
  expect(service.asked).toEqual([]);
});

test('a service that nobody can reach is unavailable, with the cause', async () => {
  const { service, client, soon } = await startClient();
  await service.stop();
  const outcome = await client.transaction('tx-1', soon());
  expect(outcome).toEqual({
    kind: 'unavailable',
    cause: { kind: 'connection', detail: 'ECONNREFUSED' },
  });
});

test('failures in a row open the circuit: nothing is sent until it tries again', async () => {
  const { service, clock, client, soon } = await startClient();
  service.answer(() => errorReply(500, 'GE-1'));
  await client.transaction('tx-1', soon());
  await client.transaction('tx-1', soon());
  const sent = service.asked.length;
  expect(client.circuit().kind).toBe('open');
  const state = client.circuit();
  expect(await client.transaction('tx-1', soon())).toEqual({
    kind: 'unavailable',
    cause: { kind: 'circuit-open', retryAtMs: state.kind === 'open' ? state.retryAtMs : 0 },
  });
  expect(service.asked).toHaveLength(sent);
  expect(client.room('deposits')).toBe(0);
  service.answer(() => ({ json: TRANSACTION }));
  clock.advance(30_000);
  expect(client.room('deposits')).toBe(1);
  expect((await client.transaction('tx-1', soon())).kind).toBe('ok');
  expect(client.circuit()).toEqual({ kind: 'closed', failures: 0 });
});

test('none remaining: the client is silent until the reset, then goes on', async () => {
  const { service, clock, client, soon } = await startClient();
  const reset = String(clock.now() / 1000 + 30);
  service.answerInTurn(
    { json: TRANSACTION, headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset } },
    { json: TRANSACTION },
  );
  const before = clock.now();
  await client.transaction('tx-1', soon());
  expect(await client.transaction('tx-1', soon(29_999))).toEqual({
    kind: 'rate-budget',
    retryAtMs: before + 30_000,
  });
  expect(service.asked).toHaveLength(1);
  expect((await client.transaction('tx-1', soon(60_000))).kind).toBe('ok');
  expect(clock.now()).toBe(before + 30_000);
});

test('a 429 is tried again after its Retry-After, also for a call that changes something', async () => {
  const { service, clock, client, soon } = await startClient();
  service.answerInTurn(errorReply(429, 'RL-1', { 'retry-after': '12' }), {
    json: { nextTryAt: null },
  });
  const outcome = await client.subscriptions.pullRetriesForward('v-1', soon());
  expect(outcome).toEqual({ kind: 'ok', value: { nextTryAt: null } });
  expect(clock.jumps).toEqual([12_000]);
});

test('a 429 whose wait passes the deadline ends as rate-budget', async () => {
  const { service, clock, client, soon } = await startClient();
  service.answer(() => errorReply(429, 'RL-1', { 'retry-after': '120' }));
  const before = clock.now();
  expect(await client.transaction('tx-1', soon(60_000))).toEqual({
    kind: 'rate-budget',
    retryAtMs: before + 120_000,
  });
  expect(service.asked).toHaveLength(1);
});

test('a request beyond the budget is not sent', async () => {
  const { service, client, soon } = await startClient();
  service.answer(() => ({ json: TRANSACTION }));
  for (let count = 0; count < 100; count += 1) await client.transaction('tx-1', soon());
  expect(client.budgetUsed()).toEqual({ minute: 100, hour: 100 });
  const outcome = await client.transaction('tx-1', soon(59_000));
  expect(outcome).toMatchObject({ kind: 'rate-budget' });
  expect(service.asked).toHaveLength(100);
});

test('every attempt is reported with its result', async () => {
  const { service, attempts, client, soon } = await startClient();
  service.answerInTurn(errorReply(500, 'GE-1'), errorReply(404, 'NE-1'));
  await client.transaction('tx-1', soon());
  expect(attempts.map(({ result, status }) => [result, status])).toEqual([
    ['unavailable', 500],
    ['not-found', 404],
  ]);
});
