import { expect, onTestFinished, test } from 'vitest';
import { FeedSignal, WAITERS_MAX } from '../../../src/api/exchange/feed-signal.ts';

const LONG_MS = 60_000;

/** A caller that never hangs up. */
function stays(): AbortSignal {
  return new AbortController().signal;
}

/** A feed that ends at `head` and counts how often it is read, and a signal over it. */
function feedUnderTest(): { feed: { head: number; looks: number }; signal: FeedSignal } {
  const feed = { head: 0, looks: 0 };
  const signal = new FeedSignal({
    hasItemsAfter: async (seq) => {
      feed.looks += 1;
      return feed.head > seq;
    },
    onBug: (error) => {
      throw error;
    },
  });
  onTestFinished(() => signal.close());
  return { feed, signal };
}

function turn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

test('callers behind the end of the feed are woken, and a caller at the end waits on', async () => {
  const { feed, signal } = feedUnderTest();
  const woken: number[] = [];
  for (const cursor of [0, 1, 2]) {
    void signal.waitFor(cursor, LONG_MS, stays()).then(() => woken.push(cursor));
  }
  await turn();
  expect(woken).toEqual([]);
  feed.head = 2;
  signal.announce();
  await turn();
  expect(new Set(woken)).toEqual(new Set([0, 1]));
  expect(signal.pending).toBe(1);
});

test('an item that came before the wait began wakes without an announcement', async () => {
  const { feed, signal } = feedUnderTest();
  feed.head = 5;
  expect(await signal.waitFor(4, LONG_MS, stays())).toBe('items');
});

test('any number of announcements during one look cost one more look', async () => {
  const { feed, signal } = feedUnderTest();
  void signal.waitFor(0, LONG_MS, stays());
  await turn();
  feed.looks = 0;
  for (let count = 0; count < 100; count += 1) signal.announce();
  await turn();
  expect(feed.looks).toBe(2);
});

test('an announcement to nobody reads nothing', async () => {
  const { feed, signal } = feedUnderTest();
  signal.announce();
  await turn();
  expect(feed.looks).toBe(0);
});

test('a thousand may wait, the next one is refused', async () => {
  const { signal } = feedUnderTest();
  const waits = Array.from({ length: WAITERS_MAX }, () => signal.waitFor(0, LONG_MS, stays()));
  expect(await signal.waitFor(0, LONG_MS, stays())).toBe('refused');
  signal.close();
  expect(new Set(await Promise.all(waits))).toEqual(new Set(['closed']));
  expect(await signal.waitFor(0, LONG_MS, stays())).toBe('closed');
});

test('a wait ends when its time is over, or its caller has gone', async () => {
  const { signal } = feedUnderTest();
  expect(await signal.waitFor(0, 1, stays())).toBe('timeout');
  const caller = new AbortController();
  const waiting = signal.waitFor(0, LONG_MS, caller.signal);
  caller.abort();
  expect(await waiting).toBe('aborted');
  expect(await signal.waitFor(0, LONG_MS, caller.signal)).toBe('aborted');
  expect(signal.pending).toBe(0);
});

test('a look that fails is reported and does not end the next one', async () => {
  const bugs: unknown[] = [];
  let fails = true;
  const signal = new FeedSignal({
    hasItemsAfter: async () => {
      if (fails) throw new Error('the disk');
      return true;
    },
    onBug: (error) => bugs.push(error),
  });
  const waiting = signal.waitFor(0, LONG_MS, stays());
  await turn();
  expect(bugs).toHaveLength(1);
  fails = false;
  signal.announce();
  expect(await waiting).toBe('items');
});
