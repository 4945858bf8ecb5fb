import { expect, test } from 'vitest';
import { AGE_SPANS, openedWithin } from '../../../src/domain/break/age-span.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOW = 100 * DAY;

test.for([
  ['in the future', -MINUTE, 'hour'],
  ['just opened', 0, 'hour'],
  ['a millisecond below an hour', HOUR - 1, 'hour'],
  ['an hour', HOUR, 'day'],
  ['a millisecond below a day', DAY - 1, 'day'],
  ['a day', DAY, 'week'],
  ['a millisecond below seven days', 7 * DAY - 1, 'week'],
  ['seven days', 7 * DAY, 'older'],
  ['a hundred days', 100 * DAY, 'older'],
] as const)('an age of %s belongs to one span', ([, age, span]) => {
  const openedAt = NOW - age;
  const spans = AGE_SPANS.filter((one) => {
    const { openedAfter = -Infinity, openedUntil = Infinity } = openedWithin(one, NOW);
    return openedAt > openedAfter && openedAt <= openedUntil;
  });
  expect(spans).toEqual([span]);
});
