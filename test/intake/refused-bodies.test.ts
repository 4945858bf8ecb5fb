import { expect, test } from 'vitest';
import { REFUSED_BYTES_KEPT, RefusedBodies } from '../../src/intake/refused-bodies.ts';

const HOUR_MS = 3_600_000;

test('the first 64 KiB of a refused body are kept unchanged', () => {
  const raw = new Uint8Array(100_000).map((_, at) => at % 251);
  const fact = new RefusedBodies(1).keep(raw, 'why', 5);
  expect(fact).toMatchObject({ kind: 'refused', at: 5, defect: 'why' });
  expect(fact?.kind === 'refused' && fact.raw).toEqual(raw.subarray(0, REFUSED_BYTES_KEPT));
});

test('after an hour’s bound nothing more is kept, and the next hour starts at zero', () => {
  const bodies = new RefusedBodies(2);
  const kept = (at: number): boolean => bodies.keep(new Uint8Array([1]), 'why', at) !== null;
  expect([kept(0), kept(1), kept(2), kept(HOUR_MS - 1)]).toEqual([true, true, false, false]);
  expect([kept(HOUR_MS), kept(HOUR_MS), kept(HOUR_MS)]).toEqual([true, true, false]);
});
