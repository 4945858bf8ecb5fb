import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { keepPrepared } from '../../../src/daemon/reading/prepared-keys.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('keys are read at once until none is left, and once a second from then on', () => {
  const left = [false, false, true];
  let steps = 0;
  keepPrepared({
    step: () => {
      steps += 1;
      return left.shift() ?? true;
    },
  });
  vi.advanceTimersByTime(10);
  expect(steps).toBe(3);
  vi.advanceTimersByTime(5_000);
  expect(steps).toBe(8);
});

test('a store that cannot be read for a moment is read a second later', () => {
  let steps = 0;
  keepPrepared({
    step: () => {
      steps += 1;
      if (steps === 1) throw new Error('SQLITE_BUSY');
      return true;
    },
  });
  vi.advanceTimersByTime(1_000);
  expect(steps).toBe(2);
});
