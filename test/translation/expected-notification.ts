import { parseAmount } from '../../src/domain/money/amount.ts';
import {
  AccountId,
  AddressId,
  AssetId,
  BlockchainHash,
  Memo,
  NetworkKey,
  NotificationId,
  TransactionId,
  VaultId,
} from '../../src/domain/ids.ts';
import type {
  BalanceChange,
  ChangeKind,
  Notification,
} from '../../src/domain/fact/notification.ts';
import type { BalanceChange as WireChange } from '../../src/wire/balance-change.ts';
import { attributedMemo } from '../../src/wire/memo-info.ts';
import type { Notification as WireNotification } from '../../src/wire/notification.ts';

/** An absent, null or empty optional text is "not there". */
function optional<Id>(brand: (value: string) => Id, value: string | null | undefined): Id | null {
  return value === undefined || value === null || value === '' ? null : brand(value);
}

/** The tags that set a kind, strongest first; every other tag leaves a transfer. */
const KIND_TAGS = ['fee', 'rebate', 'mint', 'change'] as const;

function kindOf(tags: readonly string[] | null | undefined): ChangeKind {
  return KIND_TAGS.find((tag) => tags?.includes(tag)) ?? 'transfer';
}

interface Scope {
  readonly accountId: AccountId | null;
  readonly addressId: AddressId | null;
}

const NO_SCOPE: Scope = { accountId: null, addressId: null };

/**
 * A balance change in domain terms. Its position comes from its own `address` and `account`, else
 * from `scope` (the notification's own, on `incoming`).
 */
function changeOf(wire: WireChange, scope: Scope = NO_SCOPE): BalanceChange {
  const amount = parseAmount(wire.amount);
  if (amount === undefined) throw new Error(`amount ${wire.amount} passed the schema`);
  return {
    asset: AssetId(wire.asset),
    amount,
    kind: kindOf(wire.tags),
    accountId: optional(AccountId, wire.account?.id) ?? scope.accountId,
    addressId: optional(AddressId, wire.address?.id) ?? scope.addressId,
    memo: optional(Memo, attributedMemo(wire.memoInfo)),
    decimals: wire.amountFormatted?.asset.decimals ?? null,
  };
}

function changesOf(
  list: readonly WireChange[] | null | undefined,
  scope?: Scope,
): readonly BalanceChange[] | null {
  return list?.map((change) => changeOf(change, scope)) ?? null;
}

type Wire<Stream extends WireNotification['stream']> = Extract<
  WireNotification,
  { stream: Stream }
>;

/** The on-chain address of an address, from its first entry. */
function networkAddressIn(list: readonly WireChange[], addressId: AddressId | null): string | null {
  const address = list.find(({ address: one }) => one?.id === addressId)?.address;
  const text = address?.networkAddress ?? '';
  return text.length <= 200 && /^[!-~]+$/.test(text) ? text : null;
}

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
    networkAddress: networkAddressIn(wire.balanceChanges ?? [], scope.addressId),
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
  const wireChanges =
    wire.type === 'transaction' || wire.type === 'mempool' ? wire.balanceChanges : null;
  return {
    stream: 'blockchain',
    type: wire.type,
    id: NotificationId(wire.id),
    vaultId: VaultId(wire.vaultId),
    network: NetworkKey(wire.network),
    blockchainHash: BlockchainHash(wire.blockchainHash),
    transactionId: optional(TransactionId, wire.transactionId),
    confirmations: wire.confirmations ?? null,
    changes: changesOf(wireChanges),
  };
}

/** A notification that the schema accepted, in domain terms: the reader is held to this. */
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
