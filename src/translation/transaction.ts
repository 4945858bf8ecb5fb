import { networkAddressOf } from '../domain/chain/network-address.ts';
import type { CustodyTransaction } from '../domain/fact/custody-record.ts';
import {
  AccountId,
  AddressId,
  BlockchainHash,
  Memo,
  NetworkKey,
  TransactionId,
  VaultId,
} from '../domain/ids.ts';
import { attributedMemo } from '../wire/memo-info.ts';
import type { TransactionRecord } from '../wire/transaction.ts';
import { changesOf, optional, type Scope } from './balance-change.ts';
import { timeOf } from './time.ts';

/**
 * Unix milliseconds, or undefined when unreadable. An unreadable time does not reject the row,
 * because only reports use it.
 */
function createdAtOf(wire: TransactionRecord): number | undefined {
  const text: unknown = wire['createdAt'];
  return typeof text === 'string' ? (timeOf(text) ?? undefined) : undefined;
}

/**
 * The on-chain address of an incoming transaction's position: the one that its balance changes name,
 * else its destination. Undefined where neither is readable.
 */
function networkAddressIn(
  wire: TransactionRecord,
  addressId: AddressId | null,
): string | undefined {
  for (const { address } of wire.balanceChanges ?? []) {
    if (addressId === null || address?.id !== addressId) continue;
    const named = networkAddressOf(address.networkAddress ?? null);
    if (named !== null) return named;
  }
  return networkAddressOf(wire.destinationAddress ?? null) ?? undefined;
}

/**
 * A transaction of the custody API in domain terms. Times are Unix milliseconds; an unreadable
 * `updatedAt` counts as the epoch, and an unreadable `createdAt` is left out. `changes` is null
 * when the API omits them. Throws as `changesOf` does.
 */
export function transactionOf(wire: TransactionRecord): CustodyTransaction {
  const [first] = wire.balanceChanges ?? [];
  const scope: Scope = {
    accountId: optional(AccountId, wire.accountId) ?? optional(AccountId, first?.account?.id),
    addressId: optional(AddressId, wire.addressId) ?? optional(AddressId, first?.address?.id),
  };
  const createdAt = createdAtOf(wire);
  const networkAddress =
    wire.type === 'incoming' ? networkAddressIn(wire, scope.addressId) : undefined;
  return {
    transactionId: TransactionId(wire.transactionId),
    vaultId: VaultId(wire.vaultId),
    type: wire.type,
    status: wire.status,
    orderId: wire.orderId ?? null,
    network: NetworkKey(wire.network),
    blockchainHash: optional(BlockchainHash, wire.blockchainHash),
    accountId: wire.type === 'incoming' ? scope.accountId : optional(AccountId, wire.accountId),
    addressId: wire.type === 'incoming' ? scope.addressId : optional(AddressId, wire.addressId),
    destinationAddress: wire.destinationAddress ?? null,
    ...(networkAddress === undefined ? {} : { networkAddress }),
    memo: optional(Memo, wire.memo) ?? optional(Memo, attributedMemo(first?.memoInfo)),
    confirmations: wire.confirmations ?? null,
    changes: changesOf(wire.balanceChanges, wire.type === 'incoming' ? scope : undefined),
    reasonCode: wire.reasonCode ?? null,
    ...(createdAt === undefined ? {} : { createdAt }),
    updatedAt: timeOf(wire.updatedAt) ?? 0,
  };
}
