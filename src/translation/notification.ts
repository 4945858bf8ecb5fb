import {
  AccountId,
  AddressId,
  BlockchainHash,
  Memo,
  NetworkKey,
  NotificationId,
  TransactionId,
  VaultId,
} from '../domain/ids.ts';
import type { Notification } from '../domain/notification.ts';
import { attributedMemo } from '../wire/balance-change.ts';
import type { Notification as WireNotification } from '../wire/notification.ts';
import { changesOf, optional, type Scope } from './balance-change.ts';

type Wire<Stream extends WireNotification['stream']> = Extract<
  WireNotification,
  { stream: Stream }
>;

function incomingOf(wire: Wire<'incoming'>): Notification {
  const [first] = wire.balanceChanges ?? [];
  // The receiving position: named by the notification, or by its entries alone.
  const scope: Scope = {
    accountId: optional(AccountId, wire.accountId) ?? optional(AccountId, first?.account?.id),
    addressId: optional(AddressId, wire.addressId) ?? optional(AddressId, first?.address?.id),
  };
  return {
    stream: 'incoming',
    type: wire.type,
    id: NotificationId(wire.id),
    vaultId: VaultId(wire.vaultId),
    network: NetworkKey(wire.network),
    blockchainHash: BlockchainHash(wire.blockchainHash),
    accountId: scope.accountId,
    addressId: scope.addressId,
    memo: optional(Memo, wire.memo) ?? optional(Memo, attributedMemo(first?.memoInfo)),
    transactionId: optional(TransactionId, wire.transactionId),
    confirmations: wire.confirmations ?? null,
    changes: changesOf(wire.balanceChanges, scope),
  };
}

function outgoingOf(wire: Wire<'outgoing'>): Notification {
  return {
    stream: 'outgoing',
    type: wire.type,
    id: NotificationId(wire.id),
    vaultId: VaultId(wire.vaultId),
    transactionId: TransactionId(wire.transactionId),
    orderId: wire.orderId ?? null,
    network: optional(NetworkKey, wire.network),
    blockchainHash: optional(BlockchainHash, wire.blockchainHash),
    accountId: optional(AccountId, wire.accountId),
    addressId: optional(AddressId, wire.addressId),
    destinationAddress: wire.destinationAddress ?? null,
    memo: optional(Memo, wire.memo),
    reasonCode: wire.reasonCode ?? null,
    changes: wire.type === 'mined' ? changesOf(wire.balanceChanges) : null,
  };
}

function chainOf(wire: Wire<'blockchain'>): Notification {
  const told = wire.type === 'transaction' || wire.type === 'mempool' ? wire.balanceChanges : null;
  return {
    stream: 'blockchain',
    type: wire.type,
    id: NotificationId(wire.id),
    vaultId: VaultId(wire.vaultId),
    network: NetworkKey(wire.network),
    blockchainHash: BlockchainHash(wire.blockchainHash),
    transactionId: optional(TransactionId, wire.transactionId),
    confirmations: wire.confirmations ?? null,
    changes: changesOf(told),
  };
}

/** A parsed notification in domain terms. */
export function notificationOf(wire: WireNotification): Notification {
  switch (wire.stream) {
    case 'incoming':
      return incomingOf(wire);
    case 'outgoing':
      return outgoingOf(wire);
    case 'blockchain':
      return chainOf(wire);
    default:
      return wire satisfies never;
  }
}
