import { expect, test } from 'vitest';
import { silentUntil } from '../../../src/custody/budget/rate-header.ts';
import { inMachineZone } from '../../machine-zone.ts';

const NOW = Date.parse('2026-03-01T12:00:00.000Z');
const inSeconds = (seconds: number): string => String(NOW / 1000 + seconds);
const dateAt = (ms: number): string => new Date(ms).toUTCString();

const cases: readonly [string, number, Record<string, string>, number | undefined][] = [
  ['an answer without headers', 200, {}, undefined],
  [
    'requests remaining',
    200,
    { 'x-ratelimit-remaining': '7', 'x-ratelimit-reset': inSeconds(30) },
    undefined,
  ],
  [
    'none remaining, until the reset',
    200,
    { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': inSeconds(30) },
    30_000,
  ],
  ['none remaining, no reset', 200, { 'x-ratelimit-remaining': '0' }, 60_000],
  [
    'none remaining, reset passed',
    200,
    { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': inSeconds(-5) },
    0,
  ],
  [
    'a reset beyond any window says nothing',
    200,
    { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': inSeconds(90_000) },
    60_000,
  ],
  [
    'a service whose clock is an hour ahead, by its own date',
    200,
    {
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': inSeconds(3_610),
      date: dateAt(NOW + 3_600_000),
    },
    10_000,
  ],
  [
    'a date that differs by its rounding only',
    200,
    {
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': inSeconds(10),
      date: dateAt(NOW - 1_000),
    },
    10_000,
  ],
  ['429 with seconds', 429, { 'retry-after': '12' }, 12_000],
  ['429 with a date', 429, { 'retry-after': dateAt(NOW + 9_000) }, 9_000],
  ['429 with a date in the past', 429, { 'retry-after': dateAt(NOW - 9_000) }, 0],
  ['429 with only a reset', 429, { 'x-ratelimit-reset': inSeconds(20) }, 20_000],
  ['429 with nothing', 429, {}, 60_000],
  ['429 with nonsense', 429, { 'retry-after': 'soon' }, 60_000],
  [
    '429 whose two waits differ',
    429,
    {
      'retry-after': '5',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': inSeconds(50),
    },
    50_000,
  ],
];

test.each(cases)('%s', (_name, status, headers, waitMs) => {
  expect(silentUntil({ status, headers, nowMs: NOW })).toBe(
    waitMs === undefined ? undefined : NOW + waitMs,
  );
});

test('an HTTP date in its oldest form is in GMT, also on a machine in Tokyo', () => {
  const headers = { 'retry-after': 'Sun Mar  1 12:00:09 2026', date: 'Sun Mar  1 12:00:00 2026' };
  inMachineZone('Asia/Tokyo', () => {
    expect(silentUntil({ status: 429, headers, nowMs: NOW })).toBe(NOW + 9_000);
    expect(silentUntil({ status: 429, headers: { ...headers, date: '' }, nowMs: NOW })).toBe(
      NOW + 9_000,
    );
  });
});
