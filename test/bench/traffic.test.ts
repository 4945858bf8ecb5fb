import { expect, test } from 'vitest';
import { eventOf, EVENTS } from './delivery.ts';
import { MIX, Traffic } from './traffic.ts';

/** A repeatable source of numbers from 0 to 1 (mulberry32). */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b_79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function kindOf(delivery: number, isRepeat: boolean): keyof typeof MIX {
  if (isRepeat) return 'duplicate';
  const event = eventOf(delivery);
  if (event === EVENTS.firstConfirmation) return 'newDeposit';
  if (event <= EVENTS.lastConfirmation) return 'confirmation';
  if (event === EVENTS.depositOnChain) return 'depositOnChain';
  if (event === EVENTS.withdrawalSubmitted) return 'withdrawalSubmitted';
  return event === EVENTS.withdrawalMined ? 'withdrawalMined' : 'withdrawalOnChain';
}

test('mixed traffic has the shares that it names, and they are a hundred', () => {
  const traffic = new Traffic('mixed', chance(1));
  const sent = 100_000;
  const counts = new Map<string, number>();
  for (let number = 0; number < sent; number += 1) {
    const { delivery, isRepeat } = traffic.next();
    if (!isRepeat) traffic.acknowledged(delivery);
    const kind = kindOf(delivery, isRepeat);
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  for (const [kind, share] of Object.entries(MIX)) {
    const percent = ((counts.get(kind) ?? 0) / sent) * 100;
    expect(Math.abs(percent - share), `${kind}: ${percent} %`).toBeLessThan(1);
  }
  expect(Object.values(MIX).reduce((sum, share) => sum + share, 0)).toBe(100);
});

test('nothing is repeated or follows before it was acknowledged, and nothing is sent twice', () => {
  const traffic = new Traffic('mixed', chance(2));
  const known = new Set<number>();
  const before: Record<number, number> = {
    [EVENTS.depositOnChain]: EVENTS.depositOnChain - EVENTS.firstConfirmation,
    [EVENTS.withdrawalMined]: 1,
    [EVENTS.withdrawalOnChain]: 1,
  };
  for (let number = 0; number < 20_000; number += 1) {
    const { delivery, isRepeat } = traffic.next();
    expect(known.has(delivery)).toBe(isRepeat);
    const event = eventOf(delivery);
    const isFollower = event > 1 && event <= EVENTS.lastConfirmation;
    const back = isFollower ? 1 : before[event];
    expect(back === undefined || known.has(delivery - back)).toBe(true);
    if (isRepeat || number % 7 === 0) continue;
    known.add(delivery);
    traffic.acknowledged(delivery);
  }
});

test('traffic of deposits is nothing but new deposits', () => {
  const traffic = new Traffic('deposits');
  const sent = Array.from({ length: 100 }, () => traffic.next());
  expect(sent.every(({ delivery, isRepeat }) => kindOf(delivery, isRepeat) === 'newDeposit')).toBe(
    true,
  );
  expect(new Set(sent.map(({ delivery }) => delivery)).size).toBe(100);
});
