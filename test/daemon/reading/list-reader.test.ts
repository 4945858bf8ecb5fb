import { expect, onTestFinished, test, vi } from 'vitest';
import { ListReader, type ReadingThread } from '../../../src/daemon/reading/list-reader.ts';
import { ReadRefused } from '../../../src/store/reads.ts';

/** A thread that answers at the test's command; `feedHead` stands for any list. */
function held() {
  const answer: ((head: number) => void)[] = [];
  const closing: (() => void)[] = [];
  let threads = 0;
  const started = (): ReadingThread => {
    threads += 1;
    return {
      ask: () => new Promise((resolve) => answer.push(resolve as (head: number) => void)),
      close: () => new Promise((resolve) => closing.push(resolve)),
    };
  };
  return { answer, closing, started, threads: () => threads };
}

function readerOf(started: () => ReadingThread, bounds: { queueMax?: number; timeMsMax?: number }) {
  const reader = new ListReader({ started, ...bounds });
  onTestFinished(() => void reader.close());
  return { ask: () => reader.ask('feedHead', []) };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

test('lists are read one after the other by a thread that the first one starts, and one beyond those that may wait is refused', async () => {
  const { answer, started, threads } = held();
  const reader = readerOf(started, { queueMax: 2 });
  expect(threads()).toBe(0);
  const asked = [reader.ask(), reader.ask(), reader.ask()];
  await expect(reader.ask()).rejects.toThrow(ReadRefused);
  expect(answer).toHaveLength(1);
  for (const [index, one] of asked.entries()) {
    await until(() => answer.length > index);
    answer[index]?.(index);
    expect(await one).toBe(index);
  }
  expect(threads()).toBe(1);
});

test('a list that takes too long is refused, and the next goes to a thread of its own', async () => {
  // With real time, a busy machine could also end the call that must be answered.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { answer, closing, started, threads } = held();
  const reader = readerOf(started, { timeMsMax: 20 });
  const slow = reader.ask();
  vi.advanceTimersByTime(20);
  await expect(slow).rejects.toThrow('took too long');
  await until(() => closing.length === 1);
  const next = reader.ask();
  // The statement under way cannot be interrupted: two threads would share the processors.
  expect([threads(), answer.length]).toEqual([1, 1]);
  closing[0]?.();
  await until(() => answer.length === 2);
  answer[1]?.(7);
  expect([await next, threads()]).toEqual([7, 2]);
});

test('a list that waits too long is refused and never read', async () => {
  const { answer, started } = held();
  const reader = readerOf(started, { timeMsMax: 20 });
  const asked = [reader.ask(), reader.ask()];
  for (const one of asked) await expect(one).rejects.toThrow(ReadRefused);
  expect(answer).toHaveLength(1);
});
