import { custodyReceived } from '../../domain/deposit/record/comparison.ts';
import type { Deposit } from '../../domain/deposit/deposit.ts';
import type { LifeFact } from '../../store/answers.ts';
import { unpackChanges } from '../../store/codec/change.ts';
import { bodyOf, textOf, transactionIn } from '../parts/fact/fact-body.ts';

/** The members of a custody record that a deposit is compared with. */
export interface CustodyEvidence {
  readonly status: string | null;
  readonly confirmations: string | null;
  /** Smallest units that the record shows at the deposit's position; null if it has no changes. */
  readonly amount: string | null;
  readonly addressId: string | null;
  readonly networkAddress: string | null;
  readonly memo: string | null;
  readonly transactionId: string | null;
}

/** The record that a fact compared with the deposit; null for a fact without one. */
export function evidenceOf(fact: LifeFact | undefined, deposit: Deposit): CustodyEvidence | null {
  if (fact?.kind !== 'custody-record') return null;
  const record = transactionIn(bodyOf(fact));
  if (record === null) return null;
  return {
    status: textOf(record['status']),
    confirmations: textOf(record['confirmations']),
    amount: amountOf(record['changes'], deposit),
    addressId: textOf(record['addressId']),
    networkAddress: textOf(record['networkAddress']),
    memo: textOf(record['memo']),
    transactionId: textOf(record['transactionId']),
  };
}

/** The sum that verification compares: the record's transfers and change at the position. */
function amountOf(changes: unknown, deposit: Deposit): string | null {
  if (!Array.isArray(changes)) return null;
  const received = custodyReceived(deposit, unpackChanges(changes));
  return String(received?.amount ?? 0n);
}
