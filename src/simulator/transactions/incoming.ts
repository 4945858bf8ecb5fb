import type { IncomingStatus } from '../../wire/transaction.ts';
import type { ChainTransaction, Movement } from '../chain/chain-transaction.ts';

/** One deposit: what a hash brings to one address and memo, all its assets. */
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
   * The registered memo that the deposit is attributed to. Decided at first sight and kept: a memo
   * registered later must not move what was already told.
   */
  readonly memoId: string | null;
  readonly status: IncomingStatus;
  readonly createdMs: number;
  readonly updatedMs: number;
  /** Order of creation among all transactions of the platform. */
  readonly sequence: number;
}

/**
 * Whether a movement of the transaction arrives as an `incoming` (conservation rules 2 and 5).
 * Credits that belong to the sender (change to its own inputs, rebate, mint) stay with the debit.
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
