import { expect, test } from 'vitest';
import { htmlOf } from '../console-under-test.ts';
import { segmentsOf, StateBar } from '../../../src/console/overview/state-bar.tsx';

test('the shares fill the bar from end to end, in the order of a deposit’s life', () => {
  const segments = segmentsOf({ held: 1, credited: 3, detected: 4 });
  expect(segments.map(({ state }) => state)).toEqual(['detected', 'credited', 'held']);
  expect(segments[0]?.x).toBe(0);
  const last = segments.at(-1);
  expect((last?.x ?? 0) + (last?.width ?? 0)).toBe(1_000);
  for (const [index, segment] of segments.entries()) {
    const next = segments[index + 1];
    expect(next === undefined ? 3 : next.x - segment.x - segment.width).toBe(3);
  }
});

test('one deposit among a million is still seen', () => {
  const segments = segmentsOf({ settled: 1_000_000, reversed: 1 });
  expect(segments.map(({ state, width }) => [state, width])).toEqual([
    ['settled', 991],
    ['reversed', 6],
  ]);
});

test('without deposits there is no bar', async () => {
  expect(segmentsOf({ held: 0 })).toEqual([]);
  expect(await htmlOf(StateBar({ counts: {} }))).toContain('No deposits yet.');
});
