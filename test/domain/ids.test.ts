import { expect, test } from 'vitest';
import { IdMint } from '../../src/domain/ids.ts';

test('the same place in the journal mints the same ids, and no other place does', () => {
  const mint = (seq: number): string[] => {
    const ids = new IdMint(seq);
    return [String(ids.entry()), ids.deposit(), ids.credit(), ids.break(), String(ids.entry())];
  };
  expect(mint(7)).toEqual(mint(7));
  expect(new Set([...mint(7), ...mint(8), ...mint(70)]).size).toBe(15);
});

test('ids grow with the journal', () => {
  const entries = [1, 2, 9, 10, 99, 1_000_000].map((seq) => new IdMint(seq).entry());
  expect(entries).toEqual(entries.toSorted((left, right) => left - right));
});

test('ids stay exact integers at a billion facts', () => {
  expect(Number.isSafeInteger(new IdMint(1_000_000_000).entry())).toBe(true);
});

/** Lifting a long halt can credit every deposit that waited: a policy is one fact. */
test('one fact can credit half a million deposits', () => {
  const ids = new IdMint(1);
  const last = Array.from({ length: 500_000 }, () => ids.credit()).at(-1);
  expect(last).toMatch(/^crd_/);
});
