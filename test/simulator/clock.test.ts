import { expect, test } from 'vitest';
import { RealClock, VIRTUAL_START_MS, VirtualClock } from '../../src/simulator/clock.ts';

test('tasks run in order of time, then of insertion, and see their own time', async () => {
  const clock = new VirtualClock();
  const seen: string[] = [];
  const note = (name: string) => () => {
    seen.push(`${name}@${clock.now() - VIRTUAL_START_MS}`);
  };
  clock.at(VIRTUAL_START_MS + 20, note('late'));
  clock.at(VIRTUAL_START_MS + 10, note('first'));
  clock.at(VIRTUAL_START_MS + 10, note('second'));
  clock.cancel(clock.at(VIRTUAL_START_MS + 5, note('cancelled')));
  clock.at(VIRTUAL_START_MS + 15, () => {
    clock.at(clock.now(), note('nested'));
  });
  await clock.advance(19);
  expect(seen).toEqual(['first@10', 'second@10', 'nested@15']);
  expect(clock.now()).toBe(VIRTUAL_START_MS + 19);
  await clock.advance(1);
  expect(seen.at(-1)).toBe('late@20');
});

test('a thousand tasks in any order come out sorted', async () => {
  const clock = new VirtualClock();
  const seen: number[] = [];
  for (let index = 0; index < 1000; index += 1) {
    const delayMs = (index * 7919) % 1000;
    clock.at(VIRTUAL_START_MS + delayMs, () => {
      seen.push(delayMs);
    });
  }
  await clock.advance(1000);
  expect(seen).toEqual(Array.from({ length: 1000 }, (_, index) => index));
});

test('time waits for held work that makes progress', async () => {
  const clock = new VirtualClock();
  const seen: string[] = [];
  let finish = (): void => undefined;
  clock.at(VIRTUAL_START_MS + 1, () => {
    const work = new Promise<void>((resolve) => {
      finish = resolve;
    });
    clock.hold(work);
    clock.at(VIRTUAL_START_MS + 10_001, () => void seen.push('timeout'));
    void work.then(() => {
      seen.push(`answered@${clock.now() - VIRTUAL_START_MS}`);
    });
    setImmediate(() => {
      finish();
    });
  });
  await clock.advance(60_000);
  expect(seen).toEqual(['answered@1', 'timeout']);
});

test('time does not wait for held work that hangs', async () => {
  const clock = new VirtualClock({ patienceMs: 5 });
  let timedOut = false;
  clock.hold(new Promise(() => undefined));
  clock.at(VIRTUAL_START_MS + 10_000, () => {
    timedOut = true;
  });
  await clock.advance(9_999);
  expect(timedOut).toBe(false);
  await clock.advance(1);
  expect(timedOut).toBe(true);
});

test('two advances queue up behind each other', async () => {
  const clock = new VirtualClock();
  await Promise.all([clock.advance(5), clock.advance(7)]);
  expect(clock.now()).toBe(VIRTUAL_START_MS + 12);
});

test('advance rejects with the error of a task, and the clock continues', async () => {
  const clock = new VirtualClock();
  clock.at(VIRTUAL_START_MS + 1, () => {
    throw new Error('a bug');
  });
  await expect(clock.advance(1)).rejects.toThrow('a bug');
  await clock.advance(1);
  expect(clock.now()).toBe(VIRTUAL_START_MS + 2);
});

test('the real clock runs what is due, cancels the rest, and reports errors', async () => {
  const errors: unknown[] = [];
  const clock = new RealClock({ onError: (error) => errors.push(error) });
  let cancelledRan = false;
  clock.cancel(
    clock.at(clock.now(), () => {
      cancelledRan = true;
    }),
  );
  clock.at(clock.now() + 2 ** 33, () => undefined);
  clock.at(clock.now(), () => Promise.reject(new Error('a bug')));
  await new Promise<void>((resolve) => {
    clock.at(clock.now() + 1, resolve);
  });
  clock.stop();
  expect(errors).toHaveLength(1);
  expect(cancelledRan).toBe(false);
});
