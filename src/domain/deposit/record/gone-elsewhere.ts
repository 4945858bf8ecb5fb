import type { CustodyTransaction } from '../../fact/custody-record.ts';
import type { Deposit } from '../deposit.ts';
import { answersTo, samePosition } from './comparison.ts';

/**
 * The record as the deposit's comparison reads it. If the deposit was credited, and its transaction
 * has moved to another position and was rolled back there since, nothing of it is left at either
 * position: the record rolls back the deposit, too. An older record may be of before the credit.
 */
export function asOfDeposit(deposit: Deposit, record: CustodyTransaction): CustodyTransaction {
  const isGone =
    deposit.credit !== null &&
    record.status === 'rolledback' &&
    record.updatedAt >= deposit.credit.creditedAt;
  if (!isGone || !answersTo(deposit, record) || samePosition(deposit, record)) return record;
  const { blockchainHash, network, accountId, addressId, memo } = deposit;
  return { ...record, blockchainHash, network, accountId, addressId, memo };
}
