import { expect, test } from 'vitest';
import { systemClock } from '../../src/custody/clock.ts';

const HOUR_MS = 3_600_000;

test('an abort ends a sleep at once, before it and during it', async () => {
  await systemClock.sleep(HOUR_MS, AbortSignal.abort());
  const abort = new AbortController();
  const asleep = systemClock.sleep(HOUR_MS, abort.signal);
  abort.abort();
  expect(await asleep).toBeUndefined();
});

test('a sleep without a signal ends by itself', async () => {
  expect(await systemClock.sleep(1)).toBeUndefined();
});
