import { expect, test } from 'vitest';
import { SignInThrottle } from '../../../src/console/session/sign-in-throttle.ts';

const ANN = '192.0.2.1';
const BOB = '192.0.2.2';

/** Tries so many wrong tokens; returns how long the last try must wait. */
function wrong(throttle: SignInThrottle, address: string, count: number): number {
  let waitMs = 0;
  for (let number = 0; number < count; number += 1) {
    waitMs = throttle.waitMs(address);
    throttle.refused(address);
  }
  return waitMs;
}

test('after ten wrong tokens in a minute an address waits until the minute is over, and no other', () => {
  let now = 5_000;
  const throttle = new SignInThrottle({ now: () => now });
  expect(wrong(throttle, ANN, 10)).toBe(0);
  now += 20_000;
  expect([throttle.waitMs(ANN), throttle.waitMs(BOB)]).toEqual([40_000, 0]);
  now += 39_999;
  expect(throttle.waitMs(ANN)).toBe(1);
  now += 1;
  expect(wrong(throttle, ANN, 10)).toBe(0);
  expect(throttle.waitMs(ANN)).toBe(60_000);
});

test('a clock that is set back does not lengthen the wait', () => {
  let now = 100_000;
  const throttle = new SignInThrottle({ now: () => now });
  wrong(throttle, ANN, 10);
  now = 0;
  expect(throttle.waitMs(ANN)).toBeLessThanOrEqual(60_000);
});

test('of more addresses than are remembered the oldest is forgotten', () => {
  const throttle = new SignInThrottle({ now: () => 0 });
  wrong(throttle, ANN, 10);
  for (let number = 0; number < 999; number += 1) throttle.refused(`2001:db8::${number}`);
  expect(throttle.waitMs(ANN)).toBe(60_000);
  throttle.refused(BOB);
  expect(throttle.waitMs(ANN)).toBe(0);
});
