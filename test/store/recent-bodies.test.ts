import { expect, test } from 'vitest';
import { RecentBodies } from '../../src/store/recent-bodies.ts';

const MEBIBYTE = 1024 * 1024;

test('the newest bodies are at hand, and the oldest are let go when there is too much of them', () => {
  const recent = new RecentBodies();
  for (let seq = 1; seq <= 40; seq += 1) recent.add(seq, new Uint8Array(MEBIBYTE));
  expect(recent.get(40)?.length).toBe(MEBIBYTE);
  const kept = Array.from({ length: 40 }, (_, index) => index + 1).filter((seq) => recent.get(seq));
  expect(kept.length).toBeLessThanOrEqual(16);
  expect(kept).toEqual(Array.from({ length: kept.length }, (_, index) => 41 - kept.length + index));
});
