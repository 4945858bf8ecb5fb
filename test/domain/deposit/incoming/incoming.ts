import { NotificationId } from '../../../../src/domain/ids.ts';
import type { IncomingNotification } from '../../../../src/domain/fact/notification.ts';
import { DUE } from '../../records.ts';

/** An event at the position of `DUE`; a confirmation is its seventh. */
export function incomingOf(
  changes: IncomingNotification['changes'],
  type: IncomingNotification['type'] = 'confirmation',
): IncomingNotification {
  return {
    stream: 'incoming',
    type,
    id: NotificationId('ntf-1'),
    confirmations: type === 'confirmation' ? 7 : null,
    changes,
    vaultId: DUE.vaultId,
    network: DUE.network,
    blockchainHash: DUE.blockchainHash,
    accountId: DUE.accountId,
    addressId: DUE.addressId,
    networkAddress: DUE.networkAddress,
    memo: DUE.memo,
    transactionId: DUE.transactionId,
  };
}
