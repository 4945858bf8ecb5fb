import { expect, test } from 'vitest';
import { countRequest } from '../../../../src/simulator/api/request/rate-limit.ts';
import type { RateRecord } from '../../../../src/simulator/api/request/rate-limit.ts';

test('a refused request counts neither in its minute nor in its hour', () => {
  let record: RateRecord | undefined;
  for (const nowMs of [...Array.from({ length: 150 }, () => 0), 60_000]) {
    record = countRequest('c', record, nowMs).record;
  }
  expect(record?.windows.map(({ count }) => count)).toEqual([1, 101]);
});
