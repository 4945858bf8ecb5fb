import type { Amount } from '../money/amount.ts';
import type { Deposit } from './deposit.ts';
import type { CreditId } from '../ids.ts';

/**
 * An item of the append-only credit feed. A reversal has its own id, a positive amount, and the id
 * of the credit that it reverses. `deposit` is the deposit when the item was appended.
 */
export interface CreditItem {
  readonly creditId: CreditId;
  readonly kind: 'credit' | 'reversal';
  readonly amount: Amount;
  readonly reverses: CreditId | null;
  readonly deposit: Deposit;
}
