import type { Amount } from './amount.ts';
import type {
  AccountId,
  AddressId,
  AssetId,
  BlockchainHash,
  Memo,
  NetworkKey,
  NotificationId,
  TransactionId,
  VaultId,
} from './ids.ts';

/**
 * What a balance change is, by its tags: `fee`, `rebate`, `mint` and `change` by the tag of that
 * name, everything else (unknown tags, `erc20`, `contract`) a transfer.
 */
export type ChangeKind = 'transfer' | 'change' | 'fee' | 'rebate' | 'mint';

/** One balance change with its position resolved; null where the level has no such part. */
export interface BalanceChange {
  readonly asset: AssetId;
  /** Negative = debit, positive = credit. */
  readonly amount: Amount;
  readonly kind: ChangeKind;
  readonly accountId: AccountId | null;
  readonly addressId: AddressId | null;
  /** Set only where `memoInfo` attributes the credit to a registered memo. */
  readonly memo: Memo | null;
  /** From `amountFormatted`; null for assets that the service does not recognise. */
  readonly decimals: number | null;
}

export interface IncomingNotification {
  readonly stream: 'incoming';
  readonly type: 'mempool' | 'confirmation' | 'rollback';
  readonly id: NotificationId;
  readonly vaultId: VaultId;
  readonly network: NetworkKey;
  readonly blockchainHash: BlockchainHash;
  readonly accountId: AccountId | null;
  readonly addressId: AddressId | null;
  readonly memo: Memo | null;
  readonly transactionId: TransactionId | null;
  readonly confirmations: number | null;
  /** Null when the notification carries none. */
  readonly changes: readonly BalanceChange[] | null;
}

export type OutgoingEvent =
  | 'approval-pending'
  | 'approved'
  | 'pending'
  | 'requested'
  | 'inited'
  | 'to-sign'
  | 'signed'
  | 'submitted'
  | 'mined'
  | 'warning'
  | 'cancelled'
  | 'failed'
  | 'rolledback'
  | 'replaced';

export interface OutgoingNotification {
  readonly stream: 'outgoing';
  readonly type: OutgoingEvent;
  readonly id: NotificationId;
  readonly vaultId: VaultId;
  readonly transactionId: TransactionId;
  readonly orderId: string | null;
  readonly network: NetworkKey | null;
  readonly blockchainHash: BlockchainHash | null;
  readonly accountId: AccountId | null;
  readonly addressId: AddressId | null;
  readonly destinationAddress: string | null;
  readonly memo: Memo | null;
  readonly reasonCode: string | null;
  readonly changes: readonly BalanceChange[] | null;
}

export interface ChainNotification {
  readonly stream: 'blockchain';
  readonly type: 'transaction' | 'mempool' | 'confirmation' | 'rollback';
  readonly id: NotificationId;
  readonly vaultId: VaultId;
  readonly network: NetworkKey;
  readonly blockchainHash: BlockchainHash;
  readonly transactionId: TransactionId | null;
  readonly confirmations: number | null;
  readonly changes: readonly BalanceChange[] | null;
}

export type Notification = IncomingNotification | OutgoingNotification | ChainNotification;
