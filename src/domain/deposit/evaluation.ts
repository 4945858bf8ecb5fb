import { breakKey, finding, type Finding } from '../break/break.ts';
import type { CreditItem } from './credit.ts';
import { depositRule } from '../policy/policy.ts';
import { evaluateState, hasOldMatch, withState, type Deposit } from './deposit.ts';
import type { RuleContext } from '../hash/hash-state.ts';

/** An evaluated deposit, with the feed items and breaks of its change of state. */
export interface Evaluated {
  readonly deposit: Deposit;
  readonly items: readonly CreditItem[];
  readonly found: readonly Finding[];
  readonly healed: readonly { readonly key: string; readonly reason: string }[];
}

function subjectOf(deposit: Deposit): Finding['subject'] {
  const { vaultId, network, blockchainHash, asset, transactionId, depositId } = deposit;
  return { vaultId, network, blockchainHash, asset, transactionId, depositId };
}

/** A finding about a deposit; one is open per type and deposit. */
export function depositFinding(
  type: Finding['type'],
  deposit: Deposit,
  found: { detail: string } & Partial<Pick<Finding, 'expected' | 'actual' | 'severity'>>,
): Finding {
  return finding(type, {
    key: breakKey(type, deposit.depositId),
    subject: subjectOf(deposit),
    ...found,
  });
}

function holdFindings(before: Deposit, after: Deposit): Pick<Evaluated, 'found' | 'healed'> {
  const type = holdBreak(after);
  const was = holdBreak(before);
  const healed =
    was !== null && was !== type
      ? [{ key: breakKey(was, before.depositId), reason: `the deposit is ${after.state} now` }]
      : [];
  if (type === null || type === was) return { found: [], healed };
  const detail =
    type === 'unattributed_memo'
      ? `deposit of ${after.amount} ${after.asset} with ${
          after.memo === null
            ? 'no memo'
            : `memo ${JSON.stringify(after.memo)} that is not registered`
        }: attribute it to its owner, or register the memo`
      : `asset ${after.asset} arrived with other decimals than when first seen: check the asset before releasing`;
  return { found: [depositFinding(type, after, { detail })], healed };
}

function holdBreak(deposit: Deposit): 'unattributed_memo' | 'decimals_changed' | null {
  if (deposit.state !== 'held') return null;
  if (deposit.reason === 'unattributed_memo' || deposit.reason === 'memo_required') {
    return 'unattributed_memo';
  }
  return deposit.reason === 'decimals_changed' ? 'decimals_changed' : null;
}

/**
 * Evaluates a deposit by its facts and the policy, and appends its credit when every gate is open
 * and the custody API's match is not too old. No other function creates a credit.
 */
export function evaluate(before: Deposit, now: RuleContext): Evaluated {
  const rule = depositRule(now.policy, before);
  const evaluation = evaluateState(before, rule);
  const evaluated = withState(before, evaluation, rule);
  if (!evaluation.creditDue || hasOldMatch(before, now.at)) {
    const { found, healed } = holdFindings(before, evaluated);
    return { deposit: evaluated, items: [], found, healed };
  }
  const creditsIssued = before.creditsIssued + 1;
  const creditId = now.mint.credit(before.depositId, 'credit', creditsIssued);
  const credited: Deposit = {
    ...evaluated,
    credit: { creditId, amount: evaluated.amount, creditedAt: now.at, reference: null },
    creditsIssued,
    state: 'credited',
    updatedAt: now.at,
  };
  const item: CreditItem = {
    creditId,
    kind: 'credit',
    amount: credited.amount,
    reverses: null,
    deposit: credited,
  };
  return { deposit: credited, items: [item], ...holdFindings(before, credited) };
}

/**
 * Reverses the deposit's credit: the custody API confirms the rollback. Without a credit it only
 * evaluates the deposit.
 */
export function reverseCredit(before: Deposit, now: RuleContext): Evaluated {
  if (before.credit === null) return evaluate(before, now);
  const reversed: Deposit = {
    ...before,
    credit: null,
    reversed: before.credit.creditId,
    updatedAt: now.at,
  };
  const evaluated = evaluate(reversed, now);
  const item: CreditItem = {
    creditId: now.mint.credit(before.depositId, 'reversal', before.creditsIssued),
    kind: 'reversal',
    amount: before.credit.amount,
    reverses: before.credit.creditId,
    deposit: evaluated.deposit,
  };
  return { ...evaluated, items: [item, ...evaluated.items] };
}
