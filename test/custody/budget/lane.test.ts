import { expect, test } from 'vitest';
import { RequestBudget } from '../../../src/custody/budget/budget.ts';
import { PRIORITIES } from '../../../src/custody/budget/lane.ts';
import { exhaust, FOREVER, take } from './reservations.ts';

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

test('the budget of continuations refills under sustained load', () => {
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

test('sustained verification slows down and never stops when repairs used half of the hour at once', () => {
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
