import { expect, test } from 'vitest';
import { ReadingByHash } from '../../../src/domain/close/reading-by-hash.ts';
import type { CountedEffect } from '../../../src/domain/close/record.ts';
import { BlockchainHash, NetworkKey, TransactionId, VaultId } from '../../../src/domain/ids.ts';

const ETHEREUM = NetworkKey('ethereum');
const A1 = { network: ETHEREUM, blockchainHash: BlockchainHash('0xa1') };
const B2 = { network: ETHEREUM, blockchainHash: BlockchainHash('0xb2') };
const V1 = VaultId('v1');

function effect(transactionId: string, more: Partial<CountedEffect>): CountedEffect {
  const amounts = { amounts: [], updatedAt: 1 };
  return { ...A1, ...amounts, transactionId: TransactionId(transactionId), vaultId: V1, ...more };
}

const reading = new ReadingByHash({
  kind: 'read',
  readAt: 1,
  requests: 1,
  watermark: null,
  transactions: 4,
  unreadable: 0,
  counted: [
    effect('first', {}),
    effect('of another network', { network: NetworkKey('polygon') }),
    effect('of another vault', { vaultId: VaultId('v2') }),
    effect('second', {}),
  ],
  pending: [B2.blockchainHash],
});

test('the changed transactions of a hash are those of its network, in one vault', () => {
  const found = reading.changed(A1, V1).map(({ transactionId }) => transactionId);
  expect([found, reading.changed(B2, V1)]).toEqual([['first', 'second'], []]);
});

test('a hash is pending when the reading says so; without a reading none is', () => {
  const notRead = new ReadingByHash({ kind: 'not_read', reason: 'the API is down' });
  expect([reading, notRead].map((one) => [one.isPending(A1), one.isPending(B2)])).toEqual([
    [false, true],
    [false, false],
  ]);
});
