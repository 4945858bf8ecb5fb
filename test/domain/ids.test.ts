import { expect, test } from 'vitest';
import { DepositId, firstEntryIdOf, IdMint, seqOfId } from '../../src/domain/ids.ts';

const mintAt = (seq: number): IdMint => new IdMint(seq, (text) => `<${text}>`);
const DEPOSIT = ['v1', 'ethereum', '0xa1', 'acc-1', 'adr-1', null, 'ethereum:ETH'];

test('the same journal position mints the same entries and breaks, and no other position does', () => {
  const mint = (seq: number): string[] => {
    const ids = mintAt(seq);
    return [String(ids.entry()), ids.break(), String(ids.entry())];
  };
  expect(mint(7)).toEqual(mint(7));
  expect(new Set([...mint(7), ...mint(8), ...mint(70)]).size).toBe(9);
});

test('entries grow with the journal', () => {
  const entries = [1, 2, 9, 10, 99, 1_000_000].map((seq) => mintAt(seq).entry());
  expect(entries).toEqual(entries.toSorted((left, right) => left - right));
});

test('an entry leads back to its fact: the first and the last that the fact can mint', () => {
  for (const seq of [0, 1, 7, 1_000_000_000]) {
    expect(mintAt(seq).entry()).toBe(firstEntryIdOf(seq));
    expect(seqOfId(firstEntryIdOf(seq))).toBe(seq);
    expect(seqOfId(firstEntryIdOf(seq + 1) - 1)).toBe(seq);
  }
});

test('entries stay exact integers at a billion facts', () => {
  expect(Number.isSafeInteger(mintAt(1_000_000_000).entry())).toBe(true);
});

test('a deposit has its id by what it is, wherever in the journal it is first seen', () => {
  expect(mintAt(9).deposit(DEPOSIT)).toBe(mintAt(3).deposit(DEPOSIT));
  const others = DEPOSIT.map((_, index) => DEPOSIT.with(index, 'other'));
  const ids = [DEPOSIT, ...others].map((parts) => mintAt(1).deposit(parts));
  expect(new Set(ids).size).toBe(DEPOSIT.length + 1);
});

test('a credit has its id by its deposit and its number, whenever it is given', () => {
  const deposit = DepositId('dep_1');
  expect(mintAt(9).credit(deposit, 'credit', 1)).toBe(mintAt(3).credit(deposit, 'credit', 1));
  const ids = [
    mintAt(1).credit(deposit, 'credit', 1),
    mintAt(1).credit(deposit, 'reversal', 1),
    mintAt(1).credit(deposit, 'credit', 2),
    mintAt(1).credit(DepositId('dep_2'), 'credit', 1),
  ];
  expect(new Set(ids).size).toBe(4);
});

test('a fact that would mint into the numbers of the next one is stopped', () => {
  const mint = mintAt(7);
  for (let minted = 0; minted < 1_000_000; minted += 1) mint.entry();
  expect(() => mint.entry()).toThrow('fact 7 mints too many ids');
  expect(() => mint.break()).toThrow('fact 7 mints too many ids');
});
