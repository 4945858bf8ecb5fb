import { expect, test } from 'vitest';
import { countRequest } from '../../../src/simulator/api/rate-limit.ts';
import type { RateDecision, RateRecord } from '../../../src/simulator/api/rate-limit.ts';

function run(times: readonly number[]): RateDecision[] {
  let record: RateRecord | undefined;
  return times.map((nowMs) => {
    const decision = countRequest('c', record, nowMs);
    record = decision.record;
    return decision;
  });
}

test('a hundred requests pass in a minute that opens with the first, and no more', () => {
  const decisions = run([...Array.from({ length: 101 }, (_, index) => 5_000 + index), 65_000]);
  expect(decisions[0]?.headers).toEqual({
    'X-RateLimit-Limit': '100',
    'X-RateLimit-Remaining': '99',
    'X-RateLimit-Reset': '65',
  });
  expect(decisions[99]).toMatchObject({ allowed: true });
  expect(decisions[100]).toMatchObject({
    allowed: false,
    headers: { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '65', 'Retry-After': '60' },
  });
  expect(decisions[101]).toMatchObject({ allowed: true });
});

test('a thousand requests pass in an hour, told in the headers once that is the tighter window', () => {
  const times = Array.from({ length: 1_001 }, (_, index) => index * 700);
  const decisions = run(times);
  expect(decisions[999]).toMatchObject({
    allowed: true,
    headers: { 'X-RateLimit-Limit': '1000', 'X-RateLimit-Remaining': '0' },
  });
  expect(decisions[1000]).toMatchObject({
    allowed: false,
    headers: { 'X-RateLimit-Reset': '3600', 'Retry-After': String(3_600 - 700) },
  });
});

test('a refused request is not counted', () => {
  const burst = Array.from({ length: 150 }, () => 0);
  const decisions = run([...burst, 60_000]);
  expect(decisions.at(-1)?.record.windows.map(({ count }) => count)).toEqual([1, 101]);
});
