import { expect, test } from 'vitest';
import { CloseCalendar } from '../../../src/reconcile/close/calendar.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

function calendar(timezone: string, pattern = '5 0 * * *'): CloseCalendar {
  return new CloseCalendar({ timezone, pattern });
}

test.for([
  ['UTC', '2025-11-20', '2025-11-21T00:00:00.000Z', 24],
  ['Europe/Zurich', '2025-03-30', '2025-03-30T22:00:00.000Z', 23],
  ['Europe/Zurich', '2025-10-26', '2025-10-26T23:00:00.000Z', 25],
  ['America/New_York', '2025-03-09', '2025-03-10T04:00:00.000Z', 23],
  ['America/New_York', '2025-11-02', '2025-11-03T05:00:00.000Z', 25],
  ['Asia/Kathmandu', '2025-11-20', '2025-11-20T18:15:00.000Z', 24],
  // Clocks go forward at midnight there: the next day begins at one o'clock.
  ['Africa/Cairo', '2025-04-24', '2025-04-24T22:00:00.000Z', 24],
  ['Africa/Cairo', '2025-04-25', '2025-04-25T21:00:00.000Z', 23],
  ['Pacific/Kiritimati', '2025-12-31', '2025-12-31T10:00:00.000Z', 24],
] as const)('%s: %s ends at %s and has %i hours', ([timezone, day, end, hours]) => {
  const days = calendar(timezone);
  const { cutOffAt } = days.day(day);
  expect(new Date(cutOffAt).toISOString()).toBe(end);
  expect(days.dayAt(cutOffAt - 1)).toBe(day);
  expect(days.dayAt(cutOffAt) > day).toBe(true);
  const begins = cutOffAt - hours * HOUR_MS;
  expect(days.dayAt(begins)).toBe(day);
  expect(days.dayAt(begins - 1) < day).toBe(true);
});

test.for([
  // Between midnight and the schedule's five past, the day that has just ended is still due.
  ['Africa/Algiers', '2025-11-24T23:03:29Z', '2025-11-24T23:05:00.000Z'],
  ['Africa/Algiers', '2025-11-24T23:05:00Z', '2025-11-25T23:05:00.000Z'],
  ['Africa/Algiers', '2025-11-24T12:00:00Z', '2025-11-24T23:05:00.000Z'],
  ['Europe/Zurich', '2025-10-25T12:00:00Z', '2025-10-25T22:05:00.000Z'],
] as const)('%s: at %s the next close is due at %s', ([timezone, now, due]) => {
  const next = calendar(timezone).nextDueAt(Date.parse(now), 0);
  expect(new Date(next).toISOString()).toBe(due);
});

test.for([
  ['2025-11-24T23:00:00Z', '2025-11-25T23:05:00.000Z'],
  ['2025-11-24T22:59:59Z', '2025-11-24T23:05:00.000Z'],
  [null, '2025-11-25T23:05:00.000Z'],
] as const)(
  'just after midnight in Algiers, a journal that begins at %s is closed first at %s',
  ([first, due]) => {
    const now = Date.parse('2025-11-24T23:03:29Z');
    const firstAt = first === null ? null : Date.parse(first);
    const next = calendar('Africa/Algiers').nextDueAt(now, firstAt);
    expect(new Date(next).toISOString()).toBe(due);
  },
);

test.for([
  ['5 0 * * *', '2025-11-26T23:04:00Z', '2025-11-25'],
  ['5 0 * * *', '2025-11-26T23:06:00Z', '2025-11-25'],
  ['5 0 * * *', '2025-11-27T01:04:59Z', '2025-11-25'],
  ['5 0 * * *', '2025-11-27T01:05:00Z', '2025-11-26'],
  ['0 8 * * *', '2025-11-27T08:59:59Z', '2025-11-25'],
  ['0 8 * * *', '2025-11-27T09:00:00Z', '2025-11-26'],
  ['0 5 * * 1', '2025-12-01T05:59:00Z', '2025-11-23'],
  ['0 5 * * 1', '2025-12-01T06:00:00Z', '2025-11-30'],
] as const)('%s in Zurich: at %s the newest overdue day is %s', ([pattern, now, day]) => {
  const overdue = calendar('Europe/Zurich', pattern).overdueFrom('2025-11-10', Date.parse(now));
  const count = 1 + Number(new Date(day)) / DAY_MS - Number(new Date('2025-11-10')) / DAY_MS;
  expect(overdue).toEqual({
    first: '2025-11-10',
    last: day,
    count,
    since: Date.parse('2025-11-10T23:00:00Z'),
  });
});

test('no day is overdue before its own close is', () => {
  const days = calendar('Europe/Zurich');
  expect(days.overdueFrom('2025-11-26', Date.parse('2025-11-27T01:04:59Z'))).toBeUndefined();
});

test('a date that a zone skipped is no day', () => {
  const days = calendar('Pacific/Apia');
  expect(days.after(days.day('2011-12-29')).day).toBe('2011-12-31');
});

test('a change of the time zone closes no day twice', () => {
  const east = calendar('Pacific/Kiritimati').day('2025-11-20');
  const next = calendar('America/New_York').after(east);
  expect(next.day).toBe('2025-11-21');
  expect(next.cutOffAt).toBeGreaterThan(east.cutOffAt);
});

test('a day is due at the schedule’s first time at or after its end', () => {
  const due = (days: CloseCalendar, day: string): string =>
    new Date(days.dueAt(days.day(day))).toISOString();
  expect(due(calendar('UTC'), '2025-11-20')).toBe('2025-11-21T00:05:00.000Z');
  expect(due(calendar('UTC', '0 0 * * *'), '2025-11-20')).toBe('2025-11-21T00:00:00.000Z');
  expect(due(calendar('Europe/Zurich'), '2025-03-29')).toBe('2025-03-29T23:05:00.000Z');
  // Friday's and Saturday's closes wait for Monday.
  expect(due(calendar('UTC', '0 9 * * 1-5'), '2025-11-21')).toBe('2025-11-24T09:00:00.000Z');
});

test.for([
  // The clocks go from midnight to one o'clock: 00:05 never comes, the cut-off is at 01:00.
  ['Africa/Cairo', '2025-04-24', '2025-04-24T22:05:00.000Z'],
  ['Asia/Beirut', '2025-03-29', '2025-03-29T22:05:00.000Z'],
  ['America/Havana', '2025-03-08', '2025-03-09T05:05:00.000Z'],
  ['America/Santiago', '2025-09-06', '2025-09-07T04:05:00.000Z'],
  // The whole of 30 December was left out.
  ['Pacific/Apia', '2011-12-29', '2011-12-30T10:05:00.000Z'],
  // Midnight comes twice: the day ends at the first.
  ['America/Havana', '2025-11-01', '2025-11-02T04:05:00.000Z'],
] as const)(
  '%s: five minutes past midnight is five minutes past the end of %s',
  ([zone, day, at]) => {
    const days = calendar(zone);
    expect(new Date(days.dueAt(days.day(day))).toISOString()).toBe(at);
  },
);

test.for(['America/Godthab', 'America/Scoresbysund', 'Africa/Cairo', 'Europe/Zurich', 'UTC'])(
  '%s: a close at 23:59 is due within a day of each end, across every change of the clocks',
  (zone) => {
    const days = calendar(zone, '59 23 * * *');
    let day = days.day('2024-12-31');
    const waits: number[] = [];
    while (day.day < '2026-01-01') {
      waits.push(days.dueAt(day) - day.cutOffAt);
      day = days.after(day);
    }
    expect(Math.min(...waits)).toBeGreaterThan(22 * HOUR_MS);
    expect(Math.max(...waits)).toBeLessThan(25 * HOUR_MS);
  },
);
