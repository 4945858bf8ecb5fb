import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RequestBudget, type Reservation } from '../../../src/custody/budget/budget.ts';
import { PRIORITIES, type Priority } from '../../../src/custody/budget/lane.ts';
import { densest } from '../densest.ts';

const FOREVER = Number.MAX_SAFE_INTEGER;

function take(budget: RequestBudget, priority: Priority): Extract<Reservation, { kind: 'now' }> {
  const reserved = budget.reserve({ priority, deadlineMs: FOREVER });
  if (reserved.kind !== 'now') throw new Error(`no room: ${reserved.kind}`);
  return reserved;
}

/** Sends until a priority finds no room, and tells how many were sent. */
function exhaust(budget: RequestBudget, priority: Priority): number {
  for (let sent = 0; ; sent += 1) {
    const reserved = budget.reserve({ priority, deadlineMs: FOREVER });
    if (reserved.kind !== 'now') return sent;
    reserved.finish();
  }
}

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

test('whatever is asked when, the service never counts 101 in a minute or 1,001 in an hour', () => {
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
      expect(densest(counted, 60_000)).toBeLessThanOrEqual(100);
      expect(densest(counted, 3_600_000)).toBeLessThanOrEqual(1_000);
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
  expect(densest(sent, 60_000)).toBe(100);
  expect(densest(sent, 3_600_000)).toBe(1_000);
});

test.each([
  ['inactive', 40],
  ['repair', 50],
  ['sweep', 60],
  ['look-up', 60],
  ['deposits', 100],
  ['verification', 15],
  ['continuation', 25],
  ['first-sight', 10],
] as const)('%s requests may use %d of the minute and leave the rest', (priority, share) => {
  const budget = new RequestBudget({ now: () => 0 });
  expect(exhaust(budget, priority)).toBe(share);
  expect(exhaust(budget, 'deposits')).toBe(100 - share);
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
  'of a limit of %s the service leaves 40: %s requests may use %d of them',
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

/** When requests of a priority were sent until a moment, if it asks without end. */
function askUntil(untilMs: number, budget: RequestBudget, clock: { now: number }): number[] {
  const sent: number[] = [];
  while (clock.now < untilMs) {
    const reserved = budget.reserve({ priority: 'verification', deadlineMs: FOREVER });
    if (reserved.kind === 'wait-until') clock.now = reserved.atMs;
    if (reserved.kind !== 'now') continue;
    sent.push(clock.now);
    reserved.finish();
  }
  return sent;
}

function pausesOf(sent: readonly number[]): Set<number> {
  return new Set(sent.slice(1).map((at, index) => at - (sent[index] ?? 0)));
}

test('verification starts at once while its burst lasts, and then keeps an even pace', () => {
  const clock = { now: 0 };
  const sent = askUntil(3_500_000, new RequestBudget({ now: () => clock.now }), clock);
  expect(sent.filter((at) => at === 0)).toHaveLength(15);
  expect(pausesOf(sent.slice(14))).toEqual(new Set([3_950]));
});

test('a round under sustained load takes its further requests at once, and delays the next by nothing', () => {
  const clock = { now: 0 };
  const budget = new RequestBudget({ now: () => clock.now });
  const before = askUntil(600_000, budget, clock);
  for (let page = 0; page < 8; page += 1) take(budget, 'continuation').finish();
  const after = askUntil(700_000, budget, clock);
  expect((after[0] ?? 0) - (before.at(-1) ?? 0)).toBeLessThanOrEqual(4_000);
  expect(pausesOf(after)).toEqual(new Set([4_000]));
});

test('what continuations have used comes back under sustained load', () => {
  const clock = { now: 0 };
  const budget = new RequestBudget({ now: () => clock.now });
  askUntil(600_000, budget, clock);
  exhaust(budget, 'continuation');
  askUntil(3_000_000, budget, clock);
  expect(exhaust(budget, 'continuation')).toBeGreaterThanOrEqual(6);
});

test('a round that expects several requests waits until its bucket holds them', () => {
  const clock = { now: 0 };
  const budget = new RequestBudget({ now: () => clock.now });
  expect(budget.roomAtMs('verification', 10)).toBe(0);
  askUntil(600_000, budget, clock);
  exhaust(budget, 'continuation');
  const oneMs = budget.roomAtMs('verification');
  expect(budget.roomAtMs('verification', 4)).toBeGreaterThanOrEqual(oneMs + 2 * 3_950);
});

test('verification that asks without end leaves each other lane its requests of the hour', () => {
  let now = 0;
  const budget = new RequestBudget({ now: () => now });
  const sent: Record<string, number> = {};
  for (; now < 2 * 3_600_000; now += 2_300) {
    for (const priority of PRIORITIES.filter(
      (one) => !['deposits', 'first-sight', 'continuation'].includes(one),
    )) {
      const reserved = budget.reserve({ priority, deadlineMs: now });
      if (reserved.kind !== 'now') continue;
      reserved.finish();
      if (now >= 3_600_000) sent[priority] = (sent[priority] ?? 0) + 1;
    }
  }
  expect(sent).toEqual({ verification: 925, 'look-up': 14, repair: 14, sweep: 20, inactive: 10 });
});

test('other lanes that ask without end keep verification from no burst', () => {
  let now = 0;
  const budget = new RequestBudget({ now: () => now });
  for (; now < 3_600_000; now += 1_000) {
    for (const priority of ['look-up', 'repair', 'sweep', 'inactive'] as const) {
      const reserved = budget.reserve({ priority, deadlineMs: now });
      if (reserved.kind === 'now') reserved.finish();
    }
  }
  expect(exhaust(budget, 'verification')).toBe(15);
  expect(budget.used().hour).toBeLessThanOrEqual(715);
});

test('deposits that the API has never shown leave the end of the burst to the others', () => {
  const budget = new RequestBudget({ now: () => 0 });
  expect(exhaust(budget, 'first-sight')).toBe(10);
  expect(exhaust(budget, 'verification')).toBe(5);
});

test('after repairs used half of the hour at once, sustained verification slows down and never stops', () => {
  let now = 1_700_000_000_000;
  const budget = new RequestBudget({ now: () => now });
  for (let repairs = 0; repairs < 500; now += 1_000) {
    const reserved = budget.reserve({ priority: 'repair', deadlineMs: now });
    if (reserved.kind !== 'now') continue;
    reserved.finish();
    repairs += 1;
  }
  const gapsMs: number[] = [];
  for (let last = now; gapsMs.length < 700; last = now) {
    now = Math.max(now, budget.roomAtMs('verification'));
    const reserved = budget.reserve({ priority: 'verification', deadlineMs: now });
    if (reserved.kind !== 'now') throw new Error('room was promised');
    reserved.finish();
    gapsMs.push(now - last);
  }
  expect(Math.max(...gapsMs)).toBeLessThan(12_000);
});
