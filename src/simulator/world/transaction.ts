import type { Approval } from '../../wire/notification.ts';
import type { CancellationReason } from '../../wire/event-names.ts';
import type { CustomData } from './vault.ts';

export interface OrderRequest {
  orderId: string;
  vaultId: string;
  accountId?: string;
  addressId?: string;
  network: string;
  asset: string;
  amount: bigint;
  destinationAddress: string;
  memo?: string;
  /**
   * UTXO networks: an address of the same vault for the change; default: the address of the largest
   * input.
   */
  changeAddressId?: string;
  /**
   * A submitted transaction of the same vault, network and sources, which this one replaces with a
   * higher fee.
   */
  replacesTransactionId?: string;
  metadata?: CustomData;
}

export interface ApprovalDecision {
  transactionId: string;
  clientId: string;
}

export interface SignatureSubmission {
  transactionId: string;
  /** All in hex: the signed payload, a compact (64 bytes) or DER signature, the compressed key. */
  signatures: readonly { payload: string; signature: string; publicKey: string }[];
}

/** The final signing bundle of a master-approval vault. */
export interface MasterApprovalPayload {
  transactionId: string;
  vaultId: string;
  network: string;
  payloads: { payload: string; hdpath: string }[];
  /** As `metadata.unsignedTransaction` of a transaction at `to-sign`. */
  unsignedTransaction?: string;
  approvals: Approval[];
  masterApprovals: Approval[];
  /** Whether every master approver has approved. */
  complete: boolean;
}

export interface TransactionEvent {
  id: string;
  transactionId: string;
  type: string;
  timestamp: string;
  blockchainHash?: string;
  reasonCode?: string;
  /** Only for `insufficient_balance`; amounts are integer strings. */
  reasonDetails?: {
    shortfalls: { asset: string; required: string; available: string }[];
  };
}

/** A row must match every given filter. `offset` and `limit` cut the sorted rows. */
export interface TransactionQuery {
  status?: string;
  network?: string;
  type?: 'outgoing' | 'incoming';
  vaultId?: string;
  blockchainHash?: string;
  orderId?: string;
  accountId?: string;
  addressId?: string;
  /** Matches part of transactionId, orderId, blockchainHash or destinationAddress, in any case. */
  search?: string;
  /**
   * Default: `createdAt`, ascending. Rows with the same time are in order of creation, in the same
   * direction.
   */
  sort?: { field: 'createdAt' | 'updatedAt'; order: 'asc' | 'desc' };
  offset?: number;
  limit?: number;
}

/**
 * A fault strikes an order at its step, `count` times at most, each time with `probability`
 * (default 1).
 */
export type TransactionFault = {
  vaultId?: string;
  network?: string;
  probability?: number;
  count?: number;
} & (
  | { fault: 'revert' }
  | { fault: 'processing' }
  | { fault: 'pause'; reasonCode: CancellationReason }
  | { fault: 'cancel'; reasonCode: CancellationReason }
);
