import { describe, expect, test } from 'vitest';
import { Amount } from '../../src/domain/amount.ts';
import { opened, type Break } from '../../src/domain/break.ts';
import { compareMovement } from '../../src/domain/compare.ts';
import { decideRun, settleMovements } from '../../src/domain/decide-custody.ts';
import { AssetId, BlockchainHash, BreakId, NetworkKey, VaultId } from '../../src/domain/ids.ts';
import type { Movement } from '../../src/domain/movement.ts';

const AT = 1_000_000;
const BOOKED: Movement = {
  vaultId: VaultId('v1'),
  network: NetworkKey('ethereum'),
  blockchainHash: BlockchainHash('0xa1'),
  asset: AssetId('ethereum:ETH'),
  books: Amount(90n),
  chain: Amount(0n),
  custody: null,
  onBooks: true,
  onChain: false,
  changedAt: 0,
};
const DIFFERS: Movement = { ...BOOKED, chain: Amount(100n), onChain: true };
const YOUNG: Movement = { ...DIFFERS, changedAt: AT };
const AGREES: Movement = { ...DIFFERS, chain: Amount(90n) };
const UNBOOKED: Movement = { ...DIFFERS, books: Amount(0n), onBooks: false };

function breakOf(movement: Movement): Break {
  const outcome = compareMovement(movement, { at: AT, graceMs: 0 });
  if (outcome.kind !== 'break') throw new Error('no difference');
  return opened(outcome.finding, BreakId('brk_1'), 1).after;
}

function run(differing: Movement[], open: { found: Break; movement: Movement | undefined }[] = []) {
  return decideRun(differing, { open, arrived: [], at: AT, graceMs: 10 });
}

describe('the local half of a run', () => {
  test('counts differences, and apart from them what is too young to be one', () => {
    expect(run([]).local).toEqual({ broken: 0, skipped: {} });
    expect(run([DIFFERS]).local).toEqual({ broken: 1, skipped: {} });
    expect(run([DIFFERS, YOUNG, YOUNG, UNBOOKED]).local).toEqual({
      broken: 2,
      skipped: { in_grace: 2 },
    });
    expect(run([DIFFERS, YOUNG, UNBOOKED]).found.map(({ type }) => type)).toEqual([
      'conservation',
      'unexplained_movement',
    ]);
  });

  const OPEN: [why: string, was: Movement, is: Movement | undefined, heals: boolean][] = [
    ['agrees by now', DIFFERS, AGREES, true],
    ['is gone', DIFFERS, undefined, true],
    ['differs still', DIFFERS, DIFFERS, false],
    ['differs by another amount', DIFFERS, { ...DIFFERS, books: Amount(1n) }, false],
    ['differs in another way', UNBOOKED, DIFFERS, true],
    ['moved a moment ago, and differs', DIFFERS, YOUNG, false],
    ['has no chain view any more', DIFFERS, BOOKED, false],
  ];

  test.for(OPEN)('an open difference whose movement %s', ([, was, is, heals]) => {
    const found = breakOf(was);
    expect(run([], [{ found, movement: is }]).healed).toEqual(
      heals ? [{ key: found.key, reason: 'books and chain view agree now' }] : [],
    );
  });

  test('what was missing and has arrived is healed', () => {
    const context = { open: [], arrived: [breakOf(DIFFERS)], at: AT, graceMs: 10 };
    expect(decideRun([], context).healed.map(({ reason }) => reason)).toEqual([
      'the notification arrived',
    ]);
  });
});

test('a sum of the API settles the movement of its own asset, and of no other', () => {
  const other: Movement = { ...BOOKED, asset: AssetId('X') };
  const sums = [{ asset: BOOKED.asset, amount: Amount(90n) }];
  expect(settleMovements([other, BOOKED], { sums, whole: true })).toEqual([
    { ...BOOKED, custody: 90n },
  ]);
  expect(settleMovements([DIFFERS], { sums, whole: true })).toEqual([]);
});
