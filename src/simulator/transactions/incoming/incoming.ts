import type { IncomingStatus } from '../../../wire/transaction.ts';
import type { ChainTransaction, Movement } from '../../chain/chain-transaction.ts';

/** One deposit: all assets that a hash credits to one address and memo. */
export interface Incoming {
  readonly transactionId: string;
  readonly orderId: string;
  readonly vaultId: string;
  readonly accountId: string;
  readonly addressId: string;
  readonly networkAddress: string;
  readonly network: string;
  readonly blockchainHash: string;
  readonly memo: string | null;
  /**
   * Id of the registered memo that the deposit belongs to. It is set when the deposit is first seen
   * and never changes: a memo that is registered later must not contradict reported notifications.
   */
  readonly memoId: string | null;
  readonly status: IncomingStatus;
  readonly createdMs: number;
  readonly updatedMs: number;
  /** Number in order of creation among all transactions of the platform. */
  readonly sequence: number;
}

/**
 * Whether the movement arrives as an `incoming` notification (the specification, section
 * "Conservation rules", 2 and 5). Credits of the sender (change to its own inputs, rebate, mint)
 * stay with the debit.
 */
export function isIncomingCredit(transaction: ChainTransaction, movement: Movement): boolean {
  if (movement.amount <= 0n) return false;
  if (movement.tags.includes('rebate') || movement.tags.includes('mint')) return false;
  return !(
    movement.tags.includes('change') && transaction.sources.includes(movement.networkAddress)
  );
}

/** Whether the movement is a credit of this deposit. */
export function isCreditOf(
  incoming: Pick<Incoming, 'networkAddress' | 'memo'>,
  transaction: ChainTransaction,
  movement: Movement,
): boolean {
  return (
    movement.networkAddress === incoming.networkAddress &&
    (movement.memo ?? null) === incoming.memo &&
    isIncomingCredit(transaction, movement)
  );
}
