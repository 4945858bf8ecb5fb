import { expect, test } from 'vitest';
import { Amount } from '../../../src/domain/money/amount.ts';
import { AssetId, BlockchainHash, NetworkKey, VaultId } from '../../../src/domain/ids.ts';
import {
  isAtOdds,
  lacksChainView,
  moved,
  newMovement,
  agreementOf,
  withCustodySum,
  type Movement,
  type MovementAgreement,
} from '../../../src/domain/money/movement.ts';
import type { View } from '../../../src/domain/money/entry.ts';

const KEY = {
  vaultId: VaultId('v1'),
  network: NetworkKey('ethereum'),
  blockchainHash: BlockchainHash('0xa1'),
  asset: AssetId('ethereum:ETH'),
};

const HUGE = `1${'0'.repeat(77)}`;

/** What was posted on which side, in order, and how the two sides stand then. */
const AGREEMENTS: [postings: string, agreement: MovementAgreement][] = [
  ['', 'agrees'],
  ['books 100', 'books_only'],
  ['chain 100', 'chain_only'],
  ['books 100, chain 100', 'agrees'],
  ['books 60, books 40, chain 100', 'agrees'],
  ['books -30, books -2, chain -32', 'agrees'],
  ['books 100, chain 99', 'differs'],
  ['books 100, chain -100', 'differs'],
  ['books 100, books -100', 'agrees'],
  ['chain 100, chain -100', 'agrees'],
  ['books 100, chain 100, chain -100', 'differs'],
  ['books 100, chain 100, books -100', 'differs'],
  [`books ${HUGE}, chain ${HUGE.replace(/0$/, '1')}`, 'differs'],
];

function movementOf(postings: string): Movement {
  let movement = newMovement(KEY, 1);
  for (const posting of postings.split(', ').filter((text) => text !== '')) {
    const [view, amount] = posting.split(' ') as [View, string];
    movement = moved(movement, { view, amount: Amount(BigInt(amount)), at: 5 });
  }
  return movement;
}

test.for(AGREEMENTS)('%s: %s', ([postings, agreement]) => {
  expect(agreementOf(movementOf(postings))).toBe(agreement);
});

test.for([
  ['books 100', 100n, true, 'custody_agrees'],
  ['books 100', 90n, true, 'differs'],
  ['books 100', 100n, false, 'custody_agrees'],
  ['books 100', 60n, false, 'books_only'],
  ['books 100, chain 90', 100n, true, 'differs'],
  ['books 100, books -100', 100n, true, 'agrees'],
] as const)(
  '%s, and the API says %s (of everything: %s): %s',
  ([postings, sum, whole, agreement]) => {
    const movement = movementOf(postings);
    const custody = withCustodySum(movement, { sum: Amount(sum), whole }) ?? movement;
    expect(agreementOf(custody)).toBe(agreement);
  },
);

test('what the API said is about the books as they were', () => {
  const evaluated = withCustodySum(movementOf('books 100'), { sum: Amount(100n), whole: true });
  if (evaluated === null) throw new Error('nothing changed');
  const again = moved(evaluated, { view: 'books', amount: Amount(5n), at: 6 });
  expect(agreementOf(again)).toBe('books_only');
  const seen = moved(evaluated, { view: 'chain', amount: Amount(90n), at: 6 });
  expect(agreementOf(seen)).toBe('differs');
});

test('the API’s sum that is known already is no news', () => {
  const custody = { sum: Amount(90n), whole: true };
  const evaluated = withCustodySum(movementOf('books 100'), custody);
  if (evaluated === null) throw new Error('nothing changed');
  expect(evaluated).toEqual({ ...movementOf('books 100'), custody: 90n });
  expect(withCustodySum(evaluated, custody)).toBeNull();
});

test.for<[compared: Movement['compared'], after: Movement['compared']]>([
  ['never', 'never'],
  ['now', 'before'],
  ['before', 'before'],
])('compared %s, it is compared again after a posting or a sum of the API: %s', (row) => {
  const [compared, after] = row;
  const movement: Movement = { ...movementOf('books 100'), compared };
  expect(moved(movement, { view: 'chain', amount: Amount(1n), at: 9 }).compared).toBe(after);
  expect(withCustodySum(movement, { sum: Amount(90n), whole: true })?.compared).toBe(after);
});

test.for<[postings: string, atOdds: boolean, lacks: boolean]>([
  ['', false, false],
  ['books 100', false, true],
  ['chain 100', true, false],
  ['books 100, chain 90', true, false],
  ['books 100, chain 100', false, false],
  ['books 100, books -100', false, true],
])('%s: a break past the grace period: %s; the API is asked: %s', ([postings, atOdds, lacks]) => {
  expect(isAtOdds(movementOf(postings))).toBe(atOdds);
  expect(lacksChainView(movementOf(postings))).toBe(lacks);
});

test('a movement has the times of its first posting and of its last change', () => {
  const fresh = newMovement(KEY, 1);
  expect(fresh.changedAt).toBe(1);
  expect(moved(fresh, { view: 'chain', amount: Amount(1n), at: 9 }).changedAt).toBe(9);
});
