import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RequestBudget } from '../../../src/custody/budget/budget.ts';
import { PRIORITIES } from '../../../src/custody/budget/lane.ts';
import { mostInSpan } from '../most-in-span.ts';
import { exhaust, FOREVER, take } from './reservations.ts';

const step = fc.record({
  // Bursts, pauses, and times around the edges of both windows.
  waitMs: fc.oneof(
    { weight: 8, arbitrary: fc.constant(0) },
    { weight: 4, arbitrary: fc.integer({ min: 0, max: 2_000 }) },
    { weight: 2, arbitrary: fc.integer({ min: 59_990, max: 60_010 }) },
    { weight: 1, arbitrary: fc.integer({ min: 3_599_990, max: 3_600_010 }) },
  ),
  priority: fc.constantFrom(...PRIORITIES),
  tries: fc.integer({ min: 1, max: 120 }),
  /** When the service counts the request, and when its answer comes. */
  arrivesMs: fc.integer({ min: 0, max: 5_000 }),
  answersMs: fc.integer({ min: 0, max: 5_000 }),
});

test('the service never counts 101 requests in a minute or 1,001 in an hour', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 60 }), (steps) => {
      let now = 1_700_000_000_000;
      const budget = new RequestBudget({ now: () => now });
      const counted: number[] = [];
      const waits: { fromMs: number; untilMs: number }[] = [];
      const refusals: { deadlineMs: number; retryAtMs: number }[] = [];
      let open: { atMs: number; finish: () => void }[] = [];
      const moveTo = (target: number): void => {
        const due = open.filter(({ atMs }) => atMs <= target);
        open = open.filter(({ atMs }) => atMs > target);
        for (const { atMs, finish } of due.toSorted((left, right) => left.atMs - right.atMs)) {
          now = atMs;
          finish();
        }
        now = target;
      };
      for (const { waitMs, priority, tries, arrivesMs, answersMs } of steps) {
        moveTo(now + waitMs);
        for (let count = 0; count < tries; count += 1) {
          const reserved = budget.reserve({ priority, deadlineMs: now + 90_000 });
          if (reserved.kind === 'now') {
            counted.push(now + arrivesMs);
            open.push({ atMs: now + arrivesMs + answersMs, finish: () => reserved.finish() });
          } else if (reserved.kind === 'wait-until') {
            waits.push({ fromMs: now, untilMs: reserved.atMs });
            moveTo(reserved.atMs);
          } else if (reserved.kind === 'refused') {
            refusals.push({ deadlineMs: now + 90_000, retryAtMs: reserved.retryAtMs });
            break;
          }
        }
      }
      expect(waits.filter(({ fromMs, untilMs }) => untilMs <= fromMs)).toEqual([]);
      expect(refusals.filter((each) => each.retryAtMs <= each.deadlineMs)).toEqual([]);
      expect(mostInSpan(counted, 60_000)).toBeLessThanOrEqual(100);
      expect(mostInSpan(counted, 3_600_000)).toBeLessThanOrEqual(1_000);
    }),
    { numRuns: 150 },
  );
});

test('a full hour of steady asking uses the hour and not one request more', () => {
  let now = 0;
  const budget = new RequestBudget({ now: () => now });
  const sent: number[] = [];
  while (now < 3 * 3_600_000) {
    const reserved = budget.reserve({ priority: 'deposits', deadlineMs: FOREVER });
    if (reserved.kind === 'wait-until') now = reserved.atMs;
    if (reserved.kind !== 'now') continue;
    sent.push(now);
    reserved.finish();
  }
  expect(mostInSpan(sent, 60_000)).toBe(100);
  expect(mostInSpan(sent, 3_600_000)).toBe(1_000);
});

test('a request counts while it is in flight and for a full minute after its answer', () => {
  let now = 0;
  const budget = new RequestBudget({ now: () => now });
  const slow = take(budget, 'deposits');
  expect(exhaust(budget, 'deposits')).toBe(99);
  now = 9_000;
  slow.finish();
  now = 60_001;
  expect(budget.used()).toEqual({ minute: 1, hour: 100 });
  now = 69_000;
  expect(budget.used().minute).toBe(1);
  now = 69_001;
  expect(budget.used().minute).toBe(0);
});

test('a request that was never sent costs nothing', () => {
  const budget = new RequestBudget({ now: () => 0 });
  take(budget, 'sweep').cancel();
  expect(budget.used()).toEqual({ minute: 0, hour: 0 });
});

test('a wait beyond the deadline is refused with the moment when there is room', () => {
  const budget = new RequestBudget({ now: () => 0 });
  exhaust(budget, 'deposits');
  expect(budget.reserve({ priority: 'deposits', deadlineMs: 60_000 })).toEqual({
    kind: 'refused',
    retryAtMs: 60_001,
  });
  expect(budget.reserve({ priority: 'deposits', deadlineMs: 60_001 })).toEqual({
    kind: 'wait-until',
    atMs: 60_001,
  });
});

test('a silence holds back every priority, and a shorter one does not end it', () => {
  let now = 0;
  const budget = new RequestBudget({ now: () => now });
  budget.silence(40_000);
  budget.silence(1_000);
  expect(budget.reserve({ priority: 'deposits', deadlineMs: FOREVER })).toEqual({
    kind: 'wait-until',
    atMs: 40_000,
  });
  now = 40_000;
  expect(take(budget, 'inactive').kind).toBe('now');
});

test('no header can silence the client for longer than the longest window', () => {
  const budget = new RequestBudget({ now: () => 0 });
  budget.silence(FOREVER);
  expect(budget.reserve({ priority: 'deposits', deadlineMs: FOREVER })).toEqual({
    kind: 'wait-until',
    atMs: 3_600_000,
  });
});

test('a clock that is set back does not let the windows be overrun', () => {
  let now = 10_000_000;
  const budget = new RequestBudget({ now: () => now });
  exhaust(budget, 'deposits');
  now -= 5_000_000;
  expect(exhaust(budget, 'deposits')).toBe(0);
});

test.for([
  ['minute', 100, 60_000],
  ['hour', 1_000, 3_600_000],
] as const)(
  'after the clock was set back by a year a full %s is over after its own length',
  ([_, limit, spanMs]) => {
    let now = 50_000_000_000;
    const budget = new RequestBudget({ now: () => now });
    for (let sent = 0; sent < limit; sent += 100) {
      now += 60_001;
      expect(exhaust(budget, 'deposits')).toBe(100);
    }
    now -= 31_536_000_000;
    const setBackAt = now;
    expect(budget.reserve({ priority: 'deposits', deadlineMs: FOREVER })).toEqual({
      kind: 'wait-until',
      atMs: setBackAt + spanMs + 1,
    });
    now += spanMs + 1;
    expect(exhaust(budget, 'deposits')).toBe(100);
  },
);

test.each([
  [undefined, 'deposits', 40],
  [100, 'deposits', 40],
  [100, 'look-up', 0],
  [100, 'repair', 0],
  [100, 'sweep', 0],
  [100, 'inactive', 0],
] as const)(
  'the service leaves 40 of a limit of %s: %s requests may use %d of them',
  (limit, priority, allowed) => {
    let now = 0;
    const budget = new RequestBudget({ now: () => now });
    take(budget, 'deposits').finish({ limit: limit ?? null, remaining: 40, resetAtMs: 30_000 });
    expect(exhaust(budget, priority)).toBe(allowed);
    expect(budget.reserve({ priority, deadlineMs: FOREVER })).toEqual({
      kind: 'wait-until',
      atMs: 30_000,
    });
    now = 30_000;
    expect(take(budget, priority).kind).toBe('now');
  },
);

test('an answer that comes late does not hide the requests that were sent after it', () => {
  const budget = new RequestBudget({ now: () => 0 });
  const first = take(budget, 'deposits');
  const second = take(budget, 'deposits');
  second.finish({ limit: 100, remaining: 4, resetAtMs: 60_000 });
  first.finish({ limit: 100, remaining: 5, resetAtMs: 60_000 });
  expect(exhaust(budget, 'deposits')).toBe(4);
});

test('the count of a service with a window of a year holds requests for an hour at most', () => {
  let now = 31_536_000_000;
  const budget = new RequestBudget({ now: () => now });
  take(budget, 'deposits').finish({ limit: 1, remaining: 0, resetAtMs: now });
  take(budget, 'deposits').finish({ limit: 1, remaining: 0, resetAtMs: now + 1_000 });
  now = 0;
  expect(budget.reserve({ priority: 'deposits', deadlineMs: FOREVER })).toEqual({
    kind: 'wait-until',
    atMs: 3_600_000,
  });
  now = 3_600_000;
  expect(take(budget, 'deposits').kind).toBe('now');
});
