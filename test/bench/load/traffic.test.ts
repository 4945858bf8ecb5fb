import { expect, test } from 'vitest';
import { deliveryOf, eventOf, EVENTS, subjectOf } from './delivery.ts';
import { MIXES, Traffic, TRAFFICS, type Mix } from './traffic.ts';

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

function kindOf(delivery: number, isRepeat: boolean): keyof Mix {
  if (isRepeat) return 'duplicate';
  const event = eventOf(delivery);
  if (event === EVENTS.firstConfirmation) return 'newDeposit';
  if (event <= EVENTS.lastConfirmation) return 'confirmation';
  if (event === EVENTS.depositOnChain) return 'depositOnChain';
  if (event === EVENTS.withdrawalSubmitted) return 'withdrawalSubmitted';
  return event === EVENTS.withdrawalMined ? 'withdrawalMined' : 'withdrawalOnChain';
}

test.for(TRAFFICS)('%s traffic has the shares that it names, and they are a hundred', (name) => {
  const traffic = new Traffic(name, chance(1));
  const sent = 100_000;
  const counts = new Map<string, number>();
  for (let number = 0; number < sent; number += 1) {
    const { delivery, isRepeat } = traffic.next();
    if (!isRepeat) traffic.acknowledged(delivery);
    const kind = kindOf(delivery, isRepeat);
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  for (const [kind, share] of Object.entries(MIXES[name])) {
    const percent = ((counts.get(kind) ?? 0) / sent) * 100;
    expect(Math.abs(percent - share), `${kind}: ${percent} %`).toBeLessThan(1);
  }
  expect(
    Object.values(MIXES[name] as object as Record<string, number>).reduce(
      (sum, share) => sum + share,
      0,
    ),
  ).toBe(100);
});

test.for(TRAFFICS)(
  '%s repeats nothing, follows no event early, and sends nothing twice',
  (name) => {
    const traffic = new Traffic(name, chance(2));
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
  },
);

test('traffic of deposits is nothing but new deposits', () => {
  const traffic = new Traffic('deposits');
  const sent = Array.from({ length: 100 }, () => traffic.next());
  expect(sent.every(({ delivery, isRepeat }) => kindOf(delivery, isRepeat) === 'newDeposit')).toBe(
    true,
  );
  expect(new Set(sent.map(({ delivery }) => delivery)).size).toBe(100);
});

test('confirmations come oldest first, or in random order where that is asked for', () => {
  /** How many confirmations of 5,000 deposits are about another deposit than the one next in line. */
  const outOfOrder = (name: 'own' | 'own-shuffled'): number => {
    const traffic = new Traffic(name, chance(3));
    for (let subject = 0; subject < 5_000; subject += 1) {
      traffic.acknowledged(deliveryOf(subject, EVENTS.firstConfirmation));
    }
    const seconds: number[] = [];
    while (seconds.length < 1_000) {
      const { delivery, isRepeat } = traffic.next();
      if (!isRepeat && eventOf(delivery) === 2) seconds.push(subjectOf(delivery));
    }
    return seconds.filter((subject, index) => subject !== index).length;
  };
  expect(outOfOrder('own')).toBe(0);
  expect(outOfOrder('own-shuffled')).toBeGreaterThan(900);
});
