import { expect, test } from 'vitest';
import { effectOf } from '../../../src/domain/close/counted-effect.ts';
import type { CustodyTransaction } from '../../../src/domain/fact/custody-record.ts';
import { AssetId } from '../../../src/domain/ids.ts';
import { balanceChange, received, sent } from '../../store/evidence.ts';
import { HASH } from '../../store/webhook.ts';

const COIN = { asset: AssetId('ethereum:USDC') };

/** `ethereum:ETH -32`, or `pending`. */
function effect(transaction: CustodyTransaction): string {
  const found = effectOf(transaction);
  if (found === 'pending') return found;
  return found.amounts.map(({ asset, amount }) => `${asset} ${amount}`).join(', ');
}

const EFFECTS: [why: string, transaction: CustodyTransaction, is: string][] = [
  ['a confirmed receipt', received(), 'ethereum:ETH 100'],
  ['a receipt that is only mined', received({ status: 'mined' }), ''],
  ['a receipt in the mempool', received({ status: 'mempool', changes: null }), ''],
  ['a receipt with a status of tomorrow', received({ status: 'CONFIRMED' }), ''],
  ['a mined withdrawal with its fee', sent(), 'ethereum:ETH -32'],
  ['a withdrawal that is only confirmed', sent({ status: 'confirmed' }), ''],
  ['a failed withdrawal', sent({ status: 'failed' }), ''],
  [
    'a withdrawal that waits, with nothing published',
    sent({ status: 'submitted', changes: null }),
    '',
  ],
  ['final and nothing published yet', received({ changes: null }), 'pending'],
  ['mined and nothing published yet', sent({ changes: null }), 'pending'],
  [
    'several assets, by name',
    received({ changes: [balanceChange(5n, COIN), balanceChange(100n), balanceChange(1n, COIN)] }),
    'ethereum:ETH 100, ethereum:USDC 6',
  ],
  [
    'the same, told the other way round',
    received({ changes: [balanceChange(100n), balanceChange(6n, COIN)] }),
    'ethereum:ETH 100, ethereum:USDC 6',
  ],
  [
    'an asset that nets to nothing',
    received({ changes: [balanceChange(5n, COIN), balanceChange(-5n, COIN), balanceChange(1n)] }),
    'ethereum:ETH 1',
  ],
];

test.for(EFFECTS)('%s', ([, transaction, is]) => {
  expect(effect(transaction)).toBe(is);
});

test('an effect keeps whose it is, and when it changed by the service’s clock', () => {
  expect(effectOf(received({ updatedAt: 77, status: 'mempool' }))).toEqual({
    transactionId: 'dep-tx',
    vaultId: 'v1',
    network: 'ethereum',
    blockchainHash: HASH,
    updatedAt: 77,
    kind: 'incoming',
    amounts: [],
  });
});

test('a transaction without a hash goes by its own id', () => {
  expect(effectOf(sent({ blockchainHash: null }))).toMatchObject({ blockchainHash: 'wd-tx' });
});
