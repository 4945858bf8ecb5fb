import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RecentBodies } from '../../src/store/recent-bodies.ts';

const MEBIBYTE = 1024 * 1024;
/** A body that is longer takes the room of too many others. */
const KEPT_BYTES_MAX = 2 * MEBIBYTE;

function keptOf(recent: RecentBodies, lastSeq: number): number[] {
  const all = Array.from({ length: lastSeq }, (_, index) => index + 1);
  return all.filter((seq) => recent.get(seq) !== undefined);
}

test('the newest bodies are at hand, and the oldest are let go when there is too much of them', () => {
  const recent = new RecentBodies();
  for (let seq = 1; seq <= 40; seq += 1) recent.add(seq, new Uint8Array(MEBIBYTE));
  expect(recent.get(40)?.length).toBe(MEBIBYTE);
  const kept = keptOf(recent, 40);
  expect(kept.length).toBeLessThanOrEqual(16);
  expect(kept.length).toBeGreaterThanOrEqual(14);
  expect(kept).toEqual(Array.from({ length: kept.length }, (_, index) => 41 - kept.length + index));
});

test('bodies of nothing are let go too', () => {
  const recent = new RecentBodies();
  for (let seq = 1; seq <= 100_000; seq += 1) recent.add(seq, new Uint8Array());
  expect(keptOf(recent, 100_000).length).toBeLessThan(40_000);
  expect(recent.get(100_000)?.length).toBe(0);
});

test('the buffer that a whole batch came in is not held for the sake of one body', () => {
  const recent = new RecentBodies();
  const batch = new Uint8Array(4 * MEBIBYTE).fill(7);
  recent.add(1, batch.subarray(10, 20));
  const kept = recent.get(1);
  expect(kept).toEqual(new Uint8Array(10).fill(7));
  expect(kept?.buffer).not.toBe(batch.buffer);
});

test('whatever their sizes, what is at hand is what was added', () => {
  const sizes = fc.array(
    fc.oneof(fc.nat(2_000), fc.integer({ min: MEBIBYTE / 2, max: 2.5 * MEBIBYTE })),
    { maxLength: 60 },
  );
  fc.assert(
    fc.property(sizes, (lengths) => {
      const recent = new RecentBodies();
      for (const [index, length] of lengths.entries()) {
        recent.add(index + 1, new Uint8Array(length).fill(index + 1));
        expect(recent.get(index + 1)?.length).toBe(length > KEPT_BYTES_MAX ? undefined : length);
      }
      for (const [index, length] of lengths.entries()) {
        const kept = recent.get(index + 1);
        if (kept === undefined) continue;
        expect(kept.length).toBe(length);
        expect([kept.at(0) ?? index + 1, kept.at(-1) ?? index + 1]).toEqual([index + 1, index + 1]);
      }
    }),
    { numRuns: 20 },
  );
});
