import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { VIRTUAL_START_MS, VirtualClock } from '../../../src/simulator/clock.ts';
import { Faults } from '../../../src/simulator/control/fault.ts';
import { Delivery } from '../../../src/simulator/delivery/delivery.ts';
import { State } from '../../../src/simulator/state/state.ts';
import { confirmation } from './confirmation.ts';
import { startReceiver } from './webhook-receiver.ts';
import type { WebhookReceiver } from './webhook-receiver.ts';

let clock: VirtualClock;
let state: State;
let faults: Faults;
let delivery: Delivery;
let receiver: WebhookReceiver;

beforeEach(async () => {
  clock = new VirtualClock({ patienceMs: 1_000 });
  state = new State({ seed: 7 });
  faults = new Faults(state.table('faults'), state.seed);
  const policy = { allowLoopback: true, allowPrivate: false };
  delivery = new Delivery({ state, clock, faults, policy });
  receiver = await startReceiver();
});

afterEach(async () => {
  await delivery.stop();
  await receiver.close();
});

function subscribe(vaultId: string, path = `/${vaultId}`): void {
  delivery.subscribe(vaultId, `${receiver.url}${path}`, ['incoming', 'outgoing', 'blockchain']);
}

const ids = (): string[] => receiver.received.map(({ body }) => body.id);

describe('queues', () => {
  test('deliver in order, one attempt at a time, with the time of delivery', async () => {
    subscribe('v');
    for (const id of ['a', 'b', 'c']) delivery.enqueue('v', confirmation('v', id));
    await clock.advance(0);
    expect(ids()).toEqual(['a', 'b', 'c']);
    expect(receiver.openMax.get('/v')).toBe(1);
    expect(receiver.received.every(({ body }) => body.timestamp === clock.now())).toBe(true);
    expect([...delivery.attempts.list()].map((attempt) => attempt.delivered)).toEqual([
      true,
      true,
      true,
    ]);
  });

  test('queue nothing for a stream or a vault without a subscription', async () => {
    delivery.subscribe('v', `${receiver.url}/v`, ['outgoing']);
    delivery.enqueue('v', confirmation('v', 'a'));
    delivery.enqueue('w', confirmation('w', 'b'));
    await clock.advance(0);
    expect(ids()).toEqual([]);
  });

  test('retry a failure before anything later, backing off 10 seconds per consecutive failure', async () => {
    subscribe('v');
    const start = clock.now();
    let failures = 3;
    const times: [string, number][] = [];
    receiver.reply = ({ body }) => {
      times.push([body.id, (body.timestamp - start) / 1000]);
      if (body.id !== 'a' || failures === 0) return 204;
      failures -= 1;
      return failures % 2 === 0 ? 500 : 302;
    };
    delivery.enqueue('v', confirmation('v', 'a'));
    delivery.enqueue('v', confirmation('v', 'b'));
    await clock.advance(120_000);
    expect(times).toEqual([
      ['a', 0],
      ['a', 10],
      ['a', 30],
      ['a', 60],
      ['b', 60],
    ]);
  });

  test('start the backoff afresh after a success', async () => {
    subscribe('v');
    const start = clock.now();
    const failing = new Set(['a', 'b']);
    const times: [string, number][] = [];
    receiver.reply = ({ body }) => {
      times.push([body.id, (body.timestamp - start) / 1000]);
      return failing.delete(body.id) ? 503 : 200;
    };
    delivery.enqueue('v', confirmation('v', 'a'));
    delivery.enqueue('v', confirmation('v', 'b'));
    await clock.advance(60_000);
    expect(times).toEqual([
      ['a', 0],
      ['a', 10],
      ['b', 10],
      ['b', 20],
    ]);
  });

  test('count an attempt that is not answered within 10 seconds as failed', async () => {
    subscribe('v');
    let first = true;
    receiver.reply = () => {
      if (!first) return 200;
      first = false;
      return 'hang';
    };
    delivery.enqueue('v', confirmation('v', 'a'));
    await clock.advance(9_999);
    expect([...delivery.attempts.list()]).toEqual([]);
    await clock.advance(1);
    expect([...delivery.attempts.list()][0]).toMatchObject({
      statusCode: null,
      error: 'no answer within 10 seconds',
      delivered: false,
    });
    await clock.advance(10_000);
    expect(ids()).toEqual(['a', 'a']);
    expect(delivery.log.get('a')?.status).toBe('delivered');
  });

  test('keep a hundred dead vaults from delaying a living one', async () => {
    for (let index = 0; index < 100; index += 1) {
      subscribe(`dead${index}`);
      delivery.enqueue(`dead${index}`, confirmation(`dead${index}`, `d${index}`));
    }
    receiver.reply = ({ path }) => (path.startsWith('/dead') ? 'hang' : 200);
    subscribe('alive');
    delivery.enqueue('alive', confirmation('alive', 'x'));
    // All 64 slots hang; they come free after a second of real time, long before ten virtual ones.
    await receiver.waitFor(101);
    expect(ids()).toContain('x');
    expect(clock.now()).toBeLessThan(VIRTUAL_START_MS + 10_000);
  });

  test('suppress events deeper than the override and no others', async () => {
    subscribe('v');
    delivery.subscriptions.setOverride('v', { ethereum: 3 });
    for (const depth of [1, 3, 12]) {
      delivery.enqueue('v', confirmation('v', `d${depth}`, { count: depth }), { depth });
    }
    await clock.advance(0);
    expect(ids()).toEqual(['d1', 'd3']);
  });
});

describe('changes of a subscription', () => {
  test('send the backlog to the new URL but keep its backoff', async () => {
    subscribe('v', '/old');
    receiver.reply = ({ path }) => (path === '/old' ? 500 : 200);
    delivery.enqueue('v', confirmation('v', 'a'));
    await clock.advance(0);
    subscribe('v', '/new');
    await clock.advance(9_999);
    expect(receiver.received.map(({ path }) => path)).toEqual(['/old']);
    await clock.advance(1);
    expect(receiver.received.map(({ path }) => path)).toEqual(['/old', '/new']);
  });

  test('drop the backlog of a removed stream, and all of it when deleted', async () => {
    subscribe('v');
    receiver.reply = () => 500;
    delivery.enqueue('v', confirmation('v', 'a'));
    delivery.enqueue('v', confirmation('v', 'b'));
    await clock.advance(0);
    delivery.subscribe('v', `${receiver.url}/v`, ['outgoing']);
    expect(delivery.backlog('v').size).toBe(0);
    expect(delivery.log.get('b')?.status).toBe('dropped');
    subscribe('v');
    delivery.enqueue('v', confirmation('v', 'c'));
    delivery.unsubscribe('v');
    await clock.advance(100_000);
    expect(ids()).toEqual(['a']);
  });
});

describe('retry schedule', () => {
  test('pulls the next retry forward, keeping the count of failures', async () => {
    subscribe('v');
    receiver.reply = () => 500;
    delivery.enqueue('v', confirmation('v', 'a'));
    await clock.advance(0);
    expect(delivery.pullForward('v')).toBe(clock.now());
    await clock.advance(0);
    expect(ids()).toEqual(['a', 'a']);
    expect(delivery.backlog('v')).toMatchObject({
      consecutiveFailures: 2,
      nextTryAt: clock.now() + 20_000,
    });
  });

  test('answers null without a backlog and for an eligible vault', async () => {
    expect(delivery.pullForward('v')).toBeNull();
    subscribe('v');
    receiver.reply = () => 'hang';
    delivery.enqueue('v', confirmation('v', 'a'));
    expect(delivery.pullForward('v')).toBeNull();
  });
});

describe('replay', () => {
  test('is refused while pending and for a spent delivery id, and repeats a failed one', async () => {
    subscribe('v');
    let status = 500;
    receiver.reply = ({ path }) => (path === '/v' ? 200 : status);
    delivery.enqueue('v', confirmation('v', 'a'));
    const request = { notificationId: 'a', url: `${receiver.url}/other`, deliveryId: 'd1' };
    expect(await delivery.replayer.replay(request)).toEqual({ kind: 'pending' });
    await clock.advance(0);
    expect(await delivery.replayer.replay(request)).toEqual({
      kind: 'replayed',
      result: { deliveryId: 'd1', statusCode: 500, delivered: false },
    });
    status = 202;
    expect(await delivery.replayer.replay(request)).toMatchObject({
      result: { delivered: true, statusCode: 202 },
    });
    expect(await delivery.replayer.replay(request)).toEqual({ kind: 'already-delivered' });
    expect(await delivery.replayer.replay({ ...request, notificationId: 'nope' })).toEqual({
      kind: 'unknown',
    });
    expect(ids()).toEqual(['a', 'a', 'a']);
  });

  test('goes beside a queue that backs off', async () => {
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

  test('drop-response counts a received notification as failed', async () => {
    subscribe('v');
    faults.replace({ delivery: [{ fault: 'drop-response', count: 1 }] });
    delivery.enqueue('v', confirmation('v', 'a'));
    await clock.advance(10_000);
    expect(ids()).toEqual(['a', 'a']);
    expect(
      [...delivery.attempts.list()].map(({ statusCode, delivered, error }) => [
        statusCode,
        delivered,
        error,
      ]),
    ).toEqual([
      [200, false, 'response lost by the fault plan'],
      [200, true, null],
    ]);
  });

  test('delay holds the whole queue of the vault up', async () => {
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
  test('takes the queues and their backoff up again and forgets attempts under way', async () => {
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
