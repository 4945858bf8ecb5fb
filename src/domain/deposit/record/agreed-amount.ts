import { breakKey } from '../../break/break.ts';
import type { ChangeSet } from '../../hash/hash-state.ts';
import type { Deposit } from '../deposit.ts';
import type { Outcome } from './comparison.ts';

/** Resolves the rollback break of a credited deposit that was mined again and verified. */
export function healedByMiningAgain(deposit: Deposit, outcome: Outcome): ChangeSet['healed'] {
  const { depositId, credit, amount, asset } = deposit;
  if (outcome.kind !== 'matched' || credit === null || deposit.evidence !== 'confirmed') return [];
  const key = breakKey('reversal_after_credit', depositId);
  const reason =
    credit.amount === amount
      ? 'mined again, and the custody API confirms it: the credit stands'
      : `mined again, and the custody API confirms ${amount} ${asset} where ${credit.amount} was credited: correct the customer's balance by the difference`;
  return [{ key, reason }];
}

/** Resolves `amount_changed` when the API confirms the amount and no other amount was credited. */
export function healedByConfirmedAmount(deposit: Deposit, outcome: Outcome): ChangeSet['healed'] {
  const { credit, amount, evidence } = deposit;
  if (outcome.kind !== 'matched' || evidence !== 'confirmed') return [];
  if (credit !== null && credit.amount !== amount) return [];
  const key = breakKey('amount_changed', deposit.depositId);
  return [{ key, reason: 'the custody API confirms the amount that stands' }];
}
