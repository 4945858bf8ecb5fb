import type { Approval } from '../../wire/notification.ts';
import type { CancellationReason } from '../../wire/event-names.ts';
import type { OutgoingStatus } from '../../wire/transaction.ts';
import type { Output, TransactionPlan } from '../chain/chain-transaction.ts';
import type { CustomData } from '../world/vault.ts';

/** A built transaction that waits for approvals or signatures. Its funds are reserved. */
export interface Draft {
  readonly plan: TransactionPlan;
  /**
   * The outputs of `plan.spends`, in that order. They are kept here because a reorg can remove them
   * from the ledger.
   */
  readonly inputs: readonly Output[];
}

/** A transient condition. The order is retried until the platform's retry window ends. */
export interface Pause {
  readonly reasonCode: CancellationReason;
  readonly sinceMs: number;
}

/**
 * An outgoing transaction of the platform.
 *
 * | status | moves to | when |
 * |---|---|---|
 * | `approval-pending` | `requested`, `cancelled` | quorum met; rejected, declined, expired |
 * | `requested` | `inited`, `cancelled` | the transaction can be built; or a pause before that runs out |
 * | `inited` | `to-sign`, `signed`, `cancelled`, `failed` | funds found, master approval given; or a pause runs out |
 * | `to-sign` | `signed`, `cancelled` | external signatures accepted; declined, expired |
 * | `signed` | `submitted`, `cancelled` | broadcast |
 * | `submitted` | `mined`, `failed`, `rolledback`, `replaced` | the result on the chain |
 * | `mined` | `rolledback` | a reorg drops it for ever |
 *
 * `failed`, `cancelled`, `replaced` and `rolledback` are final.
 */
export interface Order {
  readonly transactionId: string;
  readonly orderId: string;
  readonly vaultId: string;
  /** Set when the order was scoped to an account or an address. */
  readonly accountId: string | null;
  readonly addressId: string | null;
  readonly network: string;
  readonly asset: string;
  readonly amount: bigint;
  readonly destinationAddress: string;
  readonly memo: string | null;
  readonly changeAddressId: string | null;
  readonly replacesTransactionId: string | null;
  readonly metadata: CustomData;
  readonly status: OutgoingStatus;
  readonly quorum: number;
  readonly approvals: readonly Approval[];
  readonly masterApprovals: readonly Approval[];
  /** Set for orders that go through an approval flow. */
  readonly flowId: string | null;
  readonly draft: Draft | null;
  readonly blockchainHash: string | null;
  readonly reasonCode: string | null;
  readonly pause: Pause | null;
  /** Time of the order's next automatic step, a retry or its expiry, in Unix epoch milliseconds. */
  readonly wakeAtMs: number | null;
  readonly createdMs: number;
  readonly updatedMs: number;
  /** Number in order of creation among all transactions of the platform. */
  readonly sequence: number;
}

/** Time for all approvals, in milliseconds. After it the order ends as `order_expired`. */
export const APPROVAL_WINDOW_MS = 7 * 24 * 3_600_000;
/**
 * Time for master approvals and external signatures, in milliseconds. After it the order ends as
 * `transaction_expired`.
 */
export const SIGNING_WINDOW_MS = 24 * 3_600_000;
/**
 * The platform's retry window of a paused transaction, in milliseconds (the specification, section
 * "Outgoing transaction progress", which leaves the length open).
 */
export const RETRY_WINDOW_MS = 24 * 3_600_000;
/**
 * Time between two retries of a paused transaction, in milliseconds. Every block of the network
 * retries it too.
 */
export const RETRY_INTERVAL_MS = 60_000;

/** Whether the client can still decline the order. */
export function isCancellable(order: Order): boolean {
  return (
    order.status === 'approval-pending' ||
    order.status === 'requested' ||
    order.status === 'inited' ||
    order.status === 'to-sign' ||
    order.status === 'signed'
  );
}
