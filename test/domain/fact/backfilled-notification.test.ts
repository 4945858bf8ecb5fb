import { expect, test } from 'vitest';
import { incomingOf } from '../../../src/domain/fact/backfill.ts';
import type { IncomingNotification } from '../../../src/domain/fact/notification.ts';
import { BlockchainHash, Memo, NotificationId } from '../../../src/domain/ids.ts';
import { balanceChange, received } from '../../store/evidence.ts';
import { DUE } from '../records.ts';

const { vaultId, network, blockchainHash, accountId, addressId, transactionId } = DUE;
const BACKFILLED: IncomingNotification = {
  stream: 'incoming',
  type: 'confirmation',
  id: NotificationId('api/dep-tx'),
  vaultId,
  network,
  blockchainHash,
  accountId,
  addressId,
  networkAddress: '0xAB',
  memo: Memo('7'),
  transactionId,
  confirmations: 6,
  changes: [balanceChange(100n)],
};

test.for<
  [
    why: string,
    type: 'confirmation' | 'rollback',
    confirmations: number | null,
    is: Partial<IncomingNotification>,
  ]
>([
  ['its confirmation has its depth', 'confirmation', 6, {}],
  ['its confirmation is at least one deep', 'confirmation', 0, { confirmations: 1 }],
  ['its confirmation is one deep without a depth', 'confirmation', null, { confirmations: 1 }],
  ['its rollback has no depth', 'rollback', 6, { type: 'rollback', confirmations: null }],
])('a record replaces the notification: %s', ([, type, confirmations, is]) => {
  const record = received({ memo: Memo('7'), confirmations, destinationAddress: '0xAB' });
  const hash = BlockchainHash('0xa1');
  expect(incomingOf({ ...record, blockchainHash: hash }, type)).toEqual({ ...BACKFILLED, ...is });
});
