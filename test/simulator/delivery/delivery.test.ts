import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { VirtualClock } from '../../../src/simulator/clock.ts';
import { Faults } from '../../../src/simulator/control/fault.ts';
import { Delivery } from '../../../src/simulator/delivery/delivery.ts';
import { State } from '../../../src/simulator/state/state.ts';
import { confirmation } from './confirmation.ts';
import { startReceiver } from '../webhook-receiver.ts';
import type { WebhookReceiver } from '../webhook-receiver.ts';

const POLICY = { allowLoopback: true, allowPrivate: false };
let clock: VirtualClock;
let state: State;
let faults: Faults;
let delivery: Delivery;
let receiver: WebhookReceiver;

beforeEach(async () => {
  clock = new VirtualClock({ patienceMs: 1_000 });
  state = new State({ seed: 7 });
  faults = new Faults(state.table('faults'), state.seed);
  delivery = new Delivery({ state, clock, faults, policy: POLICY });
  receiver = await startReceiver();
});

afterEach(async () => {
  await delivery.stop();
  await receiver.close();
});

function subscribe(vaultId: string, path = `/${vaultId}`): void {
  delivery.subscribe(vaultId, `${receiver.url}${path}`, ['incoming', 'outgoing', 'blockchain']);
}

const ids = (): string[] => receiver.hits.map(({ body }) => body.id);

/** A virtual clock on which as many attempts run at once as on the real clock. */
class BusyClock extends VirtualClock {
  override readonly isRepeatable = false;
}

test('a hundred dead vaults that hold every slot do not keep a living one waiting', async () => {
  const busy = new Delivery({ state, clock: new BusyClock(), faults, policy: POLICY });
  onTestFinished(() => busy.stop());
  receiver.reply = ({ path }) => (path.startsWith('/dead') ? 'hang' : 200);
  for (const vaultId of [...Array.from({ length: 100 }, (_, at) => `dead${at}`), 'alive']) {
    busy.subscribe(vaultId, `${receiver.url}/${vaultId}`, ['incoming']);
    busy.enqueue(vaultId, confirmation(vaultId, `of ${vaultId}`));
  }
  // No attempt times out here: the living receiver gets its webhook only if slots are freed early.
  await receiver.until(() => ids().includes('of alive'));
  expect(receiver.hits).toHaveLength(101);
});

describe('replay', () => {
  test('is sent beside a queue that backs off', async () => {
    subscribe('v');
    delivery.enqueue('v', confirmation('v', 'a'));
    await clock.advance(0);
    receiver.reply = ({ body }) => (body.id === 'b' ? 500 : 200);
    delivery.enqueue('v', confirmation('v', 'b'));
    await clock.advance(0);
    const outcome = await delivery.replayer.replay({ notificationId: 'a', url: receiver.url });
    expect(outcome).toMatchObject({ kind: 'replayed', result: { delivered: true } });
    expect(delivery.backlog('v')).toMatchObject({ size: 1, consecutiveFailures: 1 });
  });
});

describe('faults', () => {
  test('duplicate sends the same id twice in its turn', async () => {
    subscribe('v');
    faults.replace({ delivery: [{ fault: 'duplicate', count: 1 }] });
    delivery.enqueue('v', confirmation('v', 'a'));
    delivery.enqueue('v', confirmation('v', 'b'));
    await clock.advance(0);
    expect(ids()).toEqual(['a', 'a', 'b']);
  });

  test('delay delays the whole queue of the vault', async () => {
    subscribe('v');
    faults.replace({ delivery: [{ fault: 'delay', delayMs: 3_000, count: 1 }] });
    delivery.enqueue('v', confirmation('v', 'a'));
    delivery.enqueue('v', confirmation('v', 'b'));
    await clock.advance(2_999);
    expect(ids()).toEqual([]);
    await clock.advance(1);
    expect(ids()).toEqual(['a', 'b']);
    expect(delivery.backlog('v').consecutiveFailures).toBe(0);
  });

  test('replay-late delivers again long after, beside the queue', async () => {
    subscribe('v');
    faults.replace({ delivery: [{ fault: 'replay-late', delayMs: 60_000, count: 1 }] });
    delivery.enqueue('v', confirmation('v', 'a'));
    delivery.enqueue('v', confirmation('v', 'b'));
    await clock.advance(59_999);
    expect(ids()).toEqual(['a', 'b']);
    await clock.advance(1);
    expect(ids()).toEqual(['a', 'b', 'a']);
  });

  test('strike the same notifications for the same seed, whatever the order', () => {
    const struck = (seed: string, order: string[]): string[] => {
      const own = new State({ seed });
      const plan = new Faults(own.table('faults'), own.seed);
      plan.replace({ delivery: [{ fault: 'duplicate', probability: 0.5 }] });
      return order
        .filter((id) =>
          plan.strikeDelivery('duplicate', { vaultId: 'v', stream: 's', type: 't', occasion: id }),
        )
        .toSorted();
    };
    const order = Array.from({ length: 40 }, (_, index) => `n${index}`);
    expect(struck('1', order)).toEqual(struck('1', order.toReversed()));
    expect(struck('1', order)).not.toEqual(struck('2', order));
  });
});

describe('a restore', () => {
  test('restores the queues and their backoff and ends running attempts', async () => {
    subscribe('v');
    receiver.reply = () => 500;
    delivery.enqueue('v', confirmation('v', 'a'));
    await clock.advance(0);
    const snapshot = state.snapshot();
    const nowMs = clock.now();
    receiver.reply = () => 200;
    await clock.advance(10_000);
    expect(delivery.log.get('a')?.status).toBe('delivered');
    receiver.reply = () => 'hang';
    delivery.enqueue('v', confirmation('v', 'b'));

    await delivery.suspend();
    clock.reset(nowMs);
    state.restore(snapshot);
    delivery.resume();
    expect(delivery.log.get('b')).toBeUndefined();
    expect(delivery.backlog('v')).toMatchObject({ size: 1, consecutiveFailures: 1 });
    receiver.reply = () => 200;
    await clock.advance(10_000);
    expect(delivery.log.get('a')?.status).toBe('delivered');
    expect([...delivery.attempts.list()].map(({ statusCode }) => statusCode)).toEqual([500, 200]);
  });
});
