import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { HandOverResult } from '../../../src/daemon/receivers/owner-client.ts';
import { OwnerWatch } from '../../../src/daemon/receivers/owner-watch.ts';

const OWNER = { name: 'b', url: 'http://b.invalid', epoch: 4, isLeased: true };
const ANSWERED: HandOverResult = { kind: 'answered', answers: [], position: 1 };
const UNREACHED: HandOverResult = {
  kind: 'unreached',
  cause: 'the owner b cannot be reached: repair it',
};

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A watch over an owner that gives these answers, one every two seconds. */
function watchOf(...answers: readonly HandOverResult[]): {
  watch: OwnerWatch;
  observed: boolean[];
} {
  const observed: boolean[] = [];
  let next = 0;
  const watch = new OwnerWatch({
    client: {
      hand: () => {
        next += 1;
        return Promise.resolve(answers[next - 1] ?? ANSWERED);
      },
    },
    clock: () => Date.now(),
    log: { info: () => undefined, error: () => undefined },
    observe: (isShutOut) => observed.push(isShutOut),
  });
  watch.follow(OWNER);
  return { watch, observed };
}

test('a follower that the owner refuses says why at the next question, and no longer than it lasts', async () => {
  const refused: HandOverResult = { kind: 'refused', cause: 'another secret' };
  const { watch, observed } = watchOf(ANSWERED, refused, refused, ANSWERED);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(watch.cause).toBe(null);
  await vi.advanceTimersByTimeAsync(4_000);
  expect(watch.cause).toBe('another secret');
  await vi.advanceTimersByTimeAsync(2_000);
  expect([watch.cause, ...observed]).toEqual([null, true, false]);
});

test('an owner that does not answer for less than ten seconds keeps nobody from serving', async () => {
  const { watch, observed } = watchOf(UNREACHED, UNREACHED, UNREACHED, UNREACHED, ANSWERED);
  await vi.advanceTimersByTimeAsync(60_000);
  expect([watch.cause, ...observed]).toEqual([null]);
});

test('an owner that says for ten seconds that it is none keeps a follower from serving, until it takes facts', async () => {
  const notOwner = Array.from({ length: 7 }, (): HandOverResult => ({ kind: 'not_owner' }));
  const { watch, observed } = watchOf(...notOwner, ANSWERED);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(watch.cause).toBe(null);
  await vi.advanceTimersByTimeAsync(4_000);
  expect(watch.cause).toBe('the owner b takes no facts in epoch 4: see its log');
  await vi.advanceTimersByTimeAsync(2_000);
  expect([watch.cause, ...observed]).toEqual([null, true, false]);
});

test('an owner that follows a silent one is given ten seconds of its own', async () => {
  const { watch, observed } = watchOf(...Array.from({ length: 20 }, () => UNREACHED));
  await vi.advanceTimersByTimeAsync(14_000);
  expect(watch.cause).not.toBe(null);
  watch.follow({ ...OWNER, name: 'c', epoch: 5 });
  await vi.advanceTimersByTimeAsync(10_000);
  expect([watch.cause, ...observed]).toEqual([null, true, false]);
});

test('an owner that does not answer for ten seconds does, until another one is there', async () => {
  const { watch } = watchOf(...Array.from({ length: 20 }, () => UNREACHED));
  await vi.advanceTimersByTimeAsync(14_000);
  expect(watch.cause).toBe('the owner b cannot be reached: repair it');
  watch.follow(null);
  expect(watch.cause).toBe(null);
});
