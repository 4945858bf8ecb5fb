import type { Amount } from '../money/amount.ts';
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
} from '../ids.ts';

/**
 * The kind of a balance change, by its tags. `fee`, `rebate`, `mint` and `change` have a tag of
 * that name. Everything else (unknown tags, `erc20`, `contract`) is a transfer.
 */
export const CHANGE_KINDS = ['transfer', 'change', 'fee', 'rebate', 'mint'] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** One balance change with its position; null for parts that the level does not have. */
export interface BalanceChange {
  readonly asset: AssetId;
  /** Negative is a debit, positive a credit. */
  readonly amount: Amount;
  readonly kind: ChangeKind;
  readonly accountId: AccountId | null;
  readonly addressId: AddressId | null;
  /** Set only when `memoInfo` attributes the credit to a registered memo. */
  readonly memo: Memo | null;
  /** From `amountFormatted`; null for assets that the service does not recognise. */
  readonly decimals: number | null;
}

/**
 * Whether it is a fee, rebate or mint: an entry of its own beside what was transferred (spec, "Tags
 * on balance change entries").
 */
export function isBeside({ kind }: BalanceChange): boolean {
  return kind !== 'transfer' && kind !== 'change';
}

/** An `incoming` event about one receiving position (spec, "Incoming stream"). */
export interface IncomingNotification {
  readonly stream: 'incoming';
  readonly type: 'mempool' | 'confirmation' | 'rollback';
  readonly id: NotificationId;
  readonly vaultId: VaultId;
  readonly network: NetworkKey;
  readonly blockchainHash: BlockchainHash;
  readonly accountId: AccountId | null;
  readonly addressId: AddressId | null;
  /** The on-chain address of `addressId`, as its entries write it. */
  readonly networkAddress: string | null;
  readonly memo: Memo | null;
  readonly transactionId: TransactionId | null;
  readonly confirmations: number | null;
  /** Null when the notification has no balance changes. */
  readonly changes: readonly BalanceChange[] | null;
}

/** Event types of the `outgoing` stream (spec, "Outgoing transaction progress"). */
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

/** An `outgoing` event about one platform transaction. */
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

/** A `blockchain` event: a hash's movements in a vault, by address (spec, "Blockchain stream"). */
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
