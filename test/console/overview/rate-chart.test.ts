import { expect, test } from 'vitest';
import { cornersOf, RateChart } from '../../../src/console/overview/rate-chart.tsx';
import { htmlOf } from '../console-under-test.ts';
import { MinuteCounts } from '../../../src/ops/metrics/minute-counts.ts';

const MINUTE_MS = 60_000;

test('minutes are counted for an hour, and older ones are left', () => {
  let now = 100 * MINUTE_MS;
  const counts = new MinuteCounts(() => now);
  counts.count();
  counts.count();
  now += 59 * MINUTE_MS;
  counts.count();
  const hour = counts.lastHour();
  expect(hour).toHaveLength(60);
  expect(hour[0]).toEqual({ at: 100 * MINUTE_MS, count: 2 });
  expect(hour.at(-1)).toEqual({ at: 159 * MINUTE_MS, count: 1 });
  now += MINUTE_MS;
  expect(counts.lastHour().map(({ count }) => count)).toEqual([
    ...Array.from({ length: 58 }, () => 0),
    1,
    0,
  ]);
  counts.count();
  expect(counts.lastHour().at(-1)?.count).toBe(1);
});

test('the line spans the chart, and its peak is at the top', () => {
  const minutes = [0, 5, 10].map((count, index) => ({ at: index * MINUTE_MS, count }));
  expect(cornersOf(minutes)).toBe('0,90 300,47 600,4');
  expect(cornersOf(minutes.map(({ at }) => ({ at, count: 0 })))).toBe('0,90 300,90 600,90');
});

test('the chart says in words what it shows', async () => {
  const at = Date.UTC(2025, 10, 20, 18, 3);
  const minutes = [90, 12, 3].map((count, index) => ({ at: at + index * MINUTE_MS, count }));
  const html = await htmlOf(RateChart({ minutes, countedFromMs: at }));
  expect(html).toContain(
    'aria-label="Notifications per minute. 12 in the last whole minute, 105 in the last hour, at most 90 in a minute."',
  );
  expect(html).toContain('at <time datetime="2025-11-20T18:03:00.000Z"');
  const none = { minutes: [], countedFromMs: 0 };
  expect(await htmlOf(RateChart(none))).toContain('No notification in the last hour.');
});

test('the chart of a daemon that started within the hour says since when it counts', async () => {
  let now = Date.UTC(2025, 10, 20, 18, 3, 20);
  const counts = new MinuteCounts(() => now);
  const text = () =>
    htmlOf(RateChart({ minutes: counts.lastHour(), countedFromMs: counts.beganMs }));
  expect(await text()).toContain(
    'No notification since the daemon started, 2025-11-20 18:03:20 UTC.',
  );
  // The page's script writes the moment in the reader's zone, as every other.
  expect(await text()).toContain(
    'daemon started, <time datetime="2025-11-20T18:03:20.000Z" title="2025-11-20 18:03:20 UTC"',
  );
  counts.count();
  now += MINUTE_MS;
  expect(await text()).toContain(
    '1 in the last whole minute, 1 since the daemon started, 2025-11-20 18:03:20 UTC, at most 1',
  );
  now += 60 * MINUTE_MS;
  expect(await text()).toContain('No notification in the last hour.');
});
