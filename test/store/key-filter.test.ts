import { expect, test } from 'vitest';
import { KeyFilter } from '../../src/store/sqlite/key-filter.ts';
import { fingerprintOf } from '../../src/store/sqlite/key-index.ts';

const KEYS = 150_000;

function fingerprintsOf(name: string): number[] {
  return Array.from({ length: KEYS }, (_, number) => fingerprintOf(`${name}-${number}`));
}

// A filter that was made for them all at once, and one that grew from the smallest in three layers.
test.for([0, KEYS])('made for %i keys: no key that was added is missed', (expected) => {
  const filter = new KeyFilter(expected);
  const added = fingerprintsOf('added');
  for (const fingerprint of added) filter.add(fingerprint);
  expect(added.filter((fingerprint) => !filter.mayHold(fingerprint))).toEqual([]);
});

test.for([0, KEYS])('made for %i keys: of those never added, few seem to be there', (expected) => {
  const filter = new KeyFilter(expected);
  for (const fingerprint of fingerprintsOf('added')) filter.add(fingerprint);
  const mistaken = fingerprintsOf('other').filter((one) => filter.mayHold(one)).length;
  expect(mistaken / KEYS).toBeLessThan(0.03);
});

test('an empty filter holds nothing, and keys that differ only beyond 32 bits are told apart', () => {
  const filter = new KeyFilter();
  const low = 12_345;
  expect(filter.mayHold(low)).toBe(false);
  filter.add(low);
  const others = Array.from({ length: 1_000 }, (_, at) => low + (at + 1) * 2 ** 32);
  expect(filter.mayHold(low)).toBe(true);
  expect(others.filter((one) => filter.mayHold(one)).length).toBeLessThan(20);
});

test('keys that are added again and again, as by merges that are rolled back, take no more room', () => {
  const filter = new KeyFilter();
  const keys = fingerprintsOf('again').slice(0, 10_000);
  for (const fingerprint of keys) filter.add(fingerprint);
  // Nothing else is made meanwhile, and a layer more would be 256 KiB.
  const before = process.memoryUsage().arrayBuffers;
  for (let time = 0; time < 20; time += 1) {
    for (const fingerprint of keys) filter.add(fingerprint);
  }
  expect(process.memoryUsage().arrayBuffers).toBeLessThanOrEqual(before);
  expect(keys.every((fingerprint) => filter.mayHold(fingerprint))).toBe(true);
});
