import { describe, expect, test } from 'vitest';
import { Amount } from '../../../src/domain/money/amount.ts';
import { movementBreakKey } from '../../../src/domain/deposit/record/comparison.ts';
import {
  compareMovements,
  withCustodySums,
} from '../../../src/domain/deposit/record/verification.ts';
import { AssetId, BlockchainHash, NetworkKey, VaultId } from '../../../src/domain/ids.ts';
import type { Movement } from '../../../src/domain/money/movement.ts';

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
  compared: 'never',
};
const DIFFERS: Movement = { ...BOOKED, chain: Amount(100n), onChain: true };
const YOUNG: Movement = { ...DIFFERS, changedAt: AT };
const AGREES: Movement = { ...DIFFERS, chain: Amount(90n) };
const UNBOOKED: Movement = { ...DIFFERS, books: Amount(0n), onBooks: false };

function evaluateState(...due: Movement[]) {
  return compareMovements(due, { at: AT, graceMs: 10 });
}

describe('the local half of a run', () => {
  test('finds each movement whose sides differ, by its kind', () => {
    const { found, movements } = evaluateState(DIFFERS, UNBOOKED);
    expect(found.map(({ type }) => type)).toEqual(['conservation', 'unexplained_movement']);
    expect(movements.map(({ compared }) => compared)).toEqual(['now', 'now']);
  });

  test('looks for no open break of a movement that was never compared', () => {
    expect(evaluateState(DIFFERS, AGREES).healed).toEqual([]);
  });

  const CONSERVATION = movementBreakKey('conservation', DIFFERS);
  const UNEXPLAINED = movementBreakKey('unexplained_movement', DIFFERS);
  const COMPARED: [is: string, Movement, heals: string[], found: number][] = [
    ['agrees by now', AGREES, [CONSERVATION, UNEXPLAINED], 0],
    ['differs by another amount', { ...DIFFERS, books: Amount(1n) }, [UNEXPLAINED], 1],
    ['differs in another way', UNBOOKED, [CONSERVATION], 1],
    ['moved a moment ago, and differs', YOUNG, [], 0],
    ['has no chain view any more', BOOKED, [], 0],
  ];

  test.for(COMPARED)('a movement that was compared before and %s', ([, movement, heals, found]) => {
    const decided = evaluateState({ ...movement, compared: 'before' });
    const reason = 'books and chain view agree now';
    expect(decided.healed).toEqual(heals.map((key) => ({ key, reason })));
    expect(decided.found).toHaveLength(found);
  });
});

test.for<[is: string, movement: Movement, never: string, before: string]>([
  ['agrees: it has no open break', AGREES, 'never', 'never'],
  ['differs', DIFFERS, 'now', 'now'],
  ['moved a moment ago, and differs: it is compared again', YOUNG, 'never', 'before'],
  ['has no chain view to compare with', BOOKED, 'now', 'now'],
])('remembers of a movement that %s', ([, movement, never, before]) => {
  const compared = (['never', 'before'] as const).map(
    (was) => evaluateState({ ...movement, compared: was }).movements[0]?.compared,
  );
  expect(compared).toEqual([never, before]);
});

test('a sum of the API confirms the movement of its own asset only', () => {
  const other: Movement = { ...BOOKED, asset: AssetId('X') };
  const sums = [{ asset: BOOKED.asset, amount: Amount(90n) }];
  expect(withCustodySums([other, BOOKED], { sums, whole: true })).toEqual([
    { ...BOOKED, custody: 90n },
  ]);
  expect(withCustodySums([DIFFERS], { sums, whole: true })).toEqual([]);
});
