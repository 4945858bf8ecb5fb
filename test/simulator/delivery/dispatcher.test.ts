import { afterEach, beforeEach, expect, test } from 'vitest';
import { VirtualClock } from '../../../src/simulator/clock.ts';
import { Faults } from '../../../src/simulator/control/fault.ts';
import { Delivery } from '../../../src/simulator/delivery/delivery.ts';
import { State } from '../../../src/simulator/state/state.ts';
import { confirmation } from './confirmation.ts';
import { startReceiver } from '../webhook-receiver.ts';
import type { WebhookReceiver } from '../webhook-receiver.ts';

let clock: VirtualClock;
let state: State;
let delivery: Delivery;
let receiver: WebhookReceiver;

beforeEach(async () => {
  clock = new VirtualClock({ patienceMs: 1_000 });
  state = new State({ seed: 7 });
  const faults = new Faults(state.table('faults'), state.seed);
  delivery = new Delivery({
    state,
    clock,
    faults,
    policy: { allowLoopback: true, allowPrivate: false },
  });
  receiver = await startReceiver();
  delivery.subscribe('v', receiver.url, ['incoming', 'blockchain']);
});

afterEach(async () => {
  await delivery.stop();
  await receiver.close();
});

function enqueue(id: string, stream: 'incoming' | 'blockchain' = 'incoming'): void {
  delivery.enqueue('v', confirmation('v', id, { stream }));
}

const ids = (): string[] => receiver.hits.map(({ body }) => body.id);

/** A backlog of a stream that is not subscribed. No call of the API leaves such a backlog. */
test('a queued notification without a subscription is dropped, and later ones are sent', async () => {
  receiver.reply = () => 503;
  for (const id of ['a', 'b']) enqueue(id);
  enqueue('c', 'blockchain');
  await clock.advance(0);
  const createdAt = new Date(clock.now()).toISOString();
  const streams = ['blockchain'] as const;
  delivery.subscriptions.replace({ vaultId: 'v', webhookUrl: receiver.url, streams, createdAt });
  receiver.reply = () => 200;
  await clock.advance(10_000);
  expect(ids()).toEqual(['a', 'c']);
  const statuses = ['a', 'b', 'c'].map((id) => delivery.log.get(id)?.status);
  expect(statuses).toEqual(['dropped', 'dropped', 'delivered']);
  expect(delivery.backlog('v')).toMatchObject({ size: 0, consecutiveFailures: 0 });
});

test('a notification queued during a restore does not come back with its id', async () => {
  receiver.reply = () => 503;
  enqueue('a');
  await clock.advance(0);
  const snapshot = state.snapshot();
  const nowMs = clock.now();
  await delivery.suspend();
  enqueue('z');
  clock.reset(nowMs);
  state.restore(snapshot);
  delivery.resume();
  enqueue('b');
  // A restored seed gives the same ids again.
  enqueue('z');
  receiver.reply = () => 200;
  receiver.hits.length = 0;
  await clock.advance(60_000);
  expect(ids()).toEqual(['a', 'b', 'z']);
});
