import { custodyReceived } from '../../domain/deposit/comparison.ts';
import type { Deposit } from '../../domain/deposit/deposit.ts';
import type { LifeFact } from '../../store/answers.ts';
import { unpackChanges } from '../../store/codec/change.ts';
import { bodyOf, type FactBody } from '../parts/fact/fact-body.ts';

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

/** A member of a journalled body as text; null for a member that is neither text nor number. */
export function text(value: unknown): string | null {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
}

/** The record that a fact compared with the deposit; null for a fact without one. */
export function evidenceOf(fact: LifeFact | undefined, deposit: Deposit): CustodyEvidence | null {
  if (fact?.kind !== 'custody-record') return null;
  const transaction = bodyOf(fact)['transaction'];
  if (typeof transaction !== 'object' || transaction === null) return null;
  const record = transaction as FactBody;
  return {
    status: text(record['status']),
    confirmations: text(record['confirmations']),
    amount: amountOf(record['changes'], deposit),
    addressId: text(record['addressId']),
    networkAddress: text(record['networkAddress']),
    memo: text(record['memo']),
    transactionId: text(record['transactionId']),
  };
}

/** The sum that verification compares: the record's transfers and change at the position. */
function amountOf(changes: unknown, deposit: Deposit): string | null {
  if (!Array.isArray(changes)) return null;
  const received = custodyReceived(deposit, unpackChanges(changes));
  return String(received?.amount ?? 0n);
}
