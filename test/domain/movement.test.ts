import { expect, test } from 'vitest';
import { Amount } from '../../src/domain/amount.ts';
import { AssetId, BlockchainHash, NetworkKey, VaultId } from '../../src/domain/ids.ts';
import {
  moved,
  newMovement,
  standingOf,
  type MovementStanding,
} from '../../src/domain/movement.ts';
import type { View } from '../../src/domain/entry.ts';

const KEY = {
  vaultId: VaultId('v1'),
  network: NetworkKey('ethereum'),
  blockchainHash: BlockchainHash('0xa1'),
  asset: AssetId('ethereum:ETH'),
};

const HUGE = `1${'0'.repeat(77)}`;

/** What was posted on which side, in order, and how the two sides stand then. */
const STANDINGS: [postings: string, standing: MovementStanding][] = [
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

test.for(STANDINGS)('%s: %s', ([postings, standing]) => {
  let movement = newMovement(KEY, 1);
  for (const posting of postings.split(', ').filter((text) => text !== '')) {
    const [view, amount] = posting.split(' ') as [View, string];
    movement = moved(movement, { view, amount: Amount(BigInt(amount)), at: 5 });
  }
  expect(standingOf(movement)).toBe(standing);
});

test('a movement remembers when it last changed, and starts at its first sight', () => {
  const fresh = newMovement(KEY, 1);
  expect(fresh.changedAt).toBe(1);
  expect(moved(fresh, { view: 'chain', amount: Amount(1n), at: 9 }).changedAt).toBe(9);
});
