import { afterEach, beforeEach, expect, test } from 'vitest';
import { VIRTUAL_START_MS } from '../../../src/simulator/clock.ts';
import { startCaller } from '../core-caller.ts';
import type { Caller } from '../core-caller.ts';
import { startReceiver } from '../webhook-receiver.ts';
import type { WebhookReceiver } from '../webhook-receiver.ts';

/** Actions on a vault while one of its attempts is on the wire, over HTTP. */

let caller: Caller;
let receiver: WebhookReceiver;
let vaultId: string;
let addressId: string;

beforeEach(async () => {
  receiver = await startReceiver();
  caller = await startCaller();
  vaultId = await caller.vault();
  ({ addressId } = await caller.address(await caller.account(vaultId), 'bitcoin'));
  await subscribe('/first');
});
afterEach(async () => {
  await caller.stop();
  await receiver.close();
});

async function subscribe(path: string): Promise<void> {
  const body = { webhookUrl: `${receiver.url}${path}`, streams: ['incoming'] };
  expect((await caller.api('POST', `/subscriptions/${vaultId}`, body)).status).toBe(200);
}

async function deposit(): Promise<void> {
  const paid = { network: 'bitcoin', addressId, asset: 'bitcoin:BTC', amount: '5000' };
  await caller.sim('POST', '/sim/deposits', paid);
}

const mine = (count = 1): Promise<unknown> =>
  caller.sim('POST', '/sim/blocks', { network: 'bitcoin', count });

const paths = (): string[] => receiver.hits.map(({ path }) => path);
const received = (): string[] =>
  receiver.hits.map(({ body }) => `${body.type} ${Number(body['confirmations'])}`);

/** Delays the next answer until the test gives it. Resolves when the request has arrived. */
async function oneOnTheWire(): Promise<void> {
  receiver.reply = () => 'hang';
  const before = receiver.hits.length;
  await deposit();
  await receiver.until(() => receiver.hits.length >= before + 1);
}

const retrySchedule = async (): Promise<unknown> => {
  const path = `/subscriptions/${vaultId}/notifications/retry-schedule`;
  return (await caller.api('PATCH', path)).body['nextTryAt'];
};

test('a subscription that is deleted and created again has no backlog and no backoff', async () => {
  await oneOnTheWire();
  expect((await caller.api('DELETE', `/subscriptions/${vaultId}`)).status).toBe(200);
  await subscribe('/second');
  receiver.reply = () => 200;
  await mine();
  // The first attempt is still unanswered: nothing overtakes it, and it ends after ten seconds.
  await caller.advance(9_999);
  expect(paths()).toEqual(['/first']);
  await caller.advance(1);
  expect(paths()).toEqual(['/first', '/second']);
  expect(received()).toEqual(['mempool 0', 'confirmation 1']);
  expect(caller.core.delivery.backlog(vaultId)).toMatchObject({ size: 0, consecutiveFailures: 0 });
});

test('the retry of an attempt at the old URL goes to the new one, after its backoff', async () => {
  await oneOnTheWire();
  await subscribe('/second');
  receiver.reply = () => 200;
  await caller.advance(10_000);
  expect(paths()).toEqual(['/first']);
  await caller.advance(9_999);
  expect(paths()).toEqual(['/first']);
  await caller.advance(1);
  expect(paths()).toEqual(['/first', '/second']);
  expect(new Set(receiver.hits.map(({ body }) => body.id)).size).toBe(1);
});

test('retry-schedule changes nothing while an attempt runs, and its backoff stays', async () => {
  await oneOnTheWire();
  expect(await retrySchedule()).toBe(null);
  await caller.advance(10_000);
  expect(await retrySchedule()).toBe(new Date(VIRTUAL_START_MS + 10_000).toISOString());
  await receiver.until(() => receiver.hits.length >= 2);
  expect(await retrySchedule()).toBe(null);
  await caller.advance(10_000);
  // The second failure in a row: twenty seconds, although the retry was pulled forward.
  await caller.advance(19_999);
  expect(receiver.hits).toHaveLength(2);
  await caller.advance(1);
  expect(receiver.hits).toHaveLength(3);
});

test('a stream removed during an attempt gets nothing more', async () => {
  await oneOnTheWire();
  const body = { webhookUrl: `${receiver.url}/blockchain`, streams: ['blockchain'] };
  expect((await caller.api('POST', `/subscriptions/${vaultId}`, body)).status).toBe(200);
  receiver.reply = () => 200;
  await caller.advance(86_400_000);
  expect(paths()).toEqual(['/first']);
});

test('a restore ends running attempts, and each pending notification comes once, in order', async () => {
  await deposit();
  await caller.advance(0);
  receiver.reply = () => 503;
  await mine(3);
  await caller.advance(0);
  const { snapshotId } = await caller.sim('POST', '/sim/snapshot');
  const { now } = await caller.sim('GET', '/sim/clock');
  receiver.reply = () => 'hang';
  // A long advance is running, and one attempt after the other hangs, when the state is restored.
  const before = receiver.hits.length;
  const advancing = caller.control('POST', '/sim/clock', { advanceMs: 365 * 86_400_000 });
  await receiver.until(() => receiver.hits.length >= before + 2);
  await caller.sim('POST', '/sim/restore', { snapshotId });
  expect((await advancing).body).toEqual({ now });
  expect(await caller.sim('GET', '/sim/clock')).toEqual({ now, virtual: true });
  receiver.hits.length = 0;
  receiver.reply = () => 200;
  await caller.advance(60_000);
  expect(received()).toEqual(['confirmation 1', 'confirmation 3']);
  const { data } = await caller.sim('GET', '/sim/deliveries?kind=queue');
  const codes = (data as { statusCode: unknown }[]).map(({ statusCode }) => statusCode);
  expect(codes).toEqual([200, 503, 200, 200]);
});

test('a pending notification is never replayed; a delivered one is, beside the backlog', async () => {
  receiver.reply = () => 503;
  await deposit();
  await mine();
  await caller.advance(300_000);
  const [{ body: first } = { body: { id: '' } }] = receiver.hits;
  const replay = (id: string, more = {}) =>
    caller.api('POST', `/subscriptions/notifications/${id}/replay`, {
      url: `${receiver.url}/elsewhere`,
      ...more,
    });
  expect(await replay(first.id)).toMatchObject({ status: 400, body: { errorCode: 'BR-1' } });
  receiver.reply = ({ path, body }) => (path === '/elsewhere' || body.id === first.id ? 200 : 503);
  await caller.advance(300_000);
  receiver.hits.length = 0;
  expect(await replay(first.id)).toMatchObject({ status: 200, body: { delivered: true } });
  expect(paths()).toEqual(['/elsewhere']);
  expect(caller.core.delivery.backlog(vaultId).size).toBe(1);
});

test('only one of two concurrent replays with one deliveryId is sent', async () => {
  await deposit();
  await caller.advance(0);
  const [{ body } = { body: { id: '' } }] = receiver.hits;
  const request = { url: `${receiver.url}/again`, deliveryId: 'the one' };
  const path = `/subscriptions/notifications/${body.id}/replay`;
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => caller.api('POST', path, request)),
  );
  const made = answers.filter(({ status }) => status === 200);
  const refused = answers.filter(({ body: { errorCode } }) => errorCode === 'CFR-1');
  expect([made.length, refused.length]).toEqual([1, 19]);
  expect(paths()).toEqual(['/first', '/again']);
});

test('an advance during a replay does not time its receiver out', async () => {
  await deposit();
  await caller.advance(0);
  const [{ body } = { body: { id: '' } }] = receiver.hits;
  const path = `/subscriptions/notifications/${body.id}/replay`;
  const slow = await startReceiver();
  let advanced: Promise<void> | undefined;
  slow.reply = async () => {
    advanced = caller.advance(3_600_000);
    // Enough calls for the advance to time the attempt out, if it did so.
    for (let look = 0; look < 20; look += 1) await caller.sim('GET', '/sim/clock');
    return 200;
  };
  const answer = await caller.api('POST', path, { url: slow.url });
  await advanced;
  await slow.close();
  expect(answer.body).toMatchObject({ statusCode: 200, delivered: true });
});
