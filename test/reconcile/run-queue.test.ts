import { expect, test } from 'vitest';
import { RunQueue } from '../../src/reconcile/run-queue.ts';

/** Runs that end when told to, numbered in the order in which they begin. */
function controlled() {
  const begun: { end: () => void; fail: (error: Error) => void }[] = [];
  const queue = new RunQueue<number>(() => {
    const number = begun.length + 1;
    return new Promise((resolve, reject) => {
      begun.push({ end: () => resolve(number), fail: reject });
    });
  });
  return { queue, begun };
}

async function turn(): Promise<void> {
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
}

test('runs follow one another, each with a result of its own', async () => {
  const { queue, begun } = controlled();
  const results = [queue.enqueue(), queue.enqueue(), queue.enqueue()];
  for (let number = 1; number <= 3; number += 1) {
    await turn();
    expect(begun).toHaveLength(number);
    begun[number - 1]?.end();
  }
  expect(await Promise.all(results)).toEqual([1, 2, 3]);
});

test('a scheduled run does not queue behind one under way', async () => {
  const { queue, begun } = controlled();
  const first = queue.enqueue();
  await turn();
  expect(await queue.runIfIdle()).toBeUndefined();
  begun[0]?.end();
  expect(await first).toBe(1);
  await turn();
  const scheduled = queue.runIfIdle();
  await turn();
  begun[1]?.end();
  expect(await scheduled).toBe(2);
});

test('a run that fails is told to its caller and does not stop the next', async () => {
  const { queue, begun } = controlled();
  const first = queue.enqueue();
  const second = queue.enqueue();
  await turn();
  begun[0]?.fail(new Error('a bug'));
  await expect(first).rejects.toThrow('a bug');
  await turn();
  begun[1]?.end();
  expect(await second).toBe(2);
});

test('a run that throws at once is a rejection too', async () => {
  const queue = new RunQueue<number>(() => {
    throw new Error('at once');
  });
  await expect(queue.enqueue()).rejects.toThrow('at once');
  await queue.idle();
});

test('idle waits for everything that is queued, failures included', async () => {
  const { queue, begun } = controlled();
  const first = queue.enqueue();
  first.catch(() => undefined);
  const second = queue.enqueue();
  let idle = false;
  const waiting = queue.idle().then(() => {
    idle = true;
  });
  await turn();
  begun[0]?.fail(new Error('a bug'));
  await turn();
  expect(idle).toBe(false);
  begun[1]?.end();
  await second;
  await waiting;
  expect(idle).toBe(true);
});
