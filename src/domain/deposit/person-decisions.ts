import { approvalsNeeded, ruleFor } from '../policy/policy.ts';
import { changedSince } from '../fact/basis.ts';
import { approvers, missingOwner, partsOf, type Deposit, type HoldReason } from './deposit.ts';
import type { ConflictReason, Decision, Refusal } from '../fact/decision.ts';
import { changeSet, type ChangeSet, type RuleContext } from '../hash/hash-state.ts';
import { evaluate } from './evaluation.ts';

/** A decision's change set, or its refusal. */
export type Taken =
  | { readonly kind: 'taken'; readonly changes: ChangeSet }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

export type DepositDecision = Extract<
  Decision,
  { kind: 'approve' | 'hold' | 'release' | 'attribute' }
>;

function conflict(detail: string, reason?: ConflictReason): Taken {
  const cause = reason === undefined ? {} : { reason };
  return { kind: 'refused', refusal: { kind: 'conflict', detail, ...cause } };
}

/** What continues a held deposit when a release cannot. */
const NEXT_STEP: Partial<Record<HoldReason, string>> = {
  approval_required: 'approve it',
  unattributed_memo: 'name its owner',
  memo_required: 'name its owner',
  dust: 'change the minimum amount in the policy',
  before_start: 'change the start of crediting in the policy',
  halted: 'resume crediting',
};

/** Why a release changes nothing about a deposit that no person and no decimals hold. */
function notReleased({ reason }: Deposit): Taken {
  if (reason === null) return conflict('it is not held');
  const step = NEXT_STEP[reason];
  return conflict(
    `no person holds it: it is held for ${reason}, and a release does not change that${
      step === undefined ? '' : `: ${step}`
    }`,
  );
}

function evaluatedAs(deposit: Deposit, now: RuleContext): Taken {
  const { deposit: after, items, found, healed } = evaluate({ ...deposit, updatedAt: now.at }, now);
  return { kind: 'taken', changes: changeSet({ deposits: [after], items, found, healed }) };
}

function approved(
  deposit: Deposit,
  reason: string,
  { actor, now }: { actor: string; now: RuleContext },
): Taken {
  if (deposit.evidence !== 'confirmed') {
    return conflict('the deposit is not confirmed on-chain yet: approve it afterwards');
  }
  if (deposit.state === 'internal') return conflict('an internal transfer is never credited');
  const people = approvers(deposit);
  if (people.has(actor)) {
    return conflict(`a second approval needs another person: ${actor} has approved it already`);
  }
  const needed = approvalsNeeded(ruleFor(now.policy, deposit), deposit.amount);
  if (actor === deposit.attributedBy && people.size + 1 >= needed) {
    return conflict(`the last approval needs another person: ${actor} named its owner`);
  }
  const approval = { person: actor, reason, at: now.at };
  return evaluatedAs({ ...deposit, approvals: [...deposit.approvals, approval] }, now);
}

/** Names the owner of a deposit. Approvals were for the previous owner, so they start over. */
function attributed(
  deposit: Deposit,
  decision: Extract<DepositDecision, { kind: 'attribute' }>,
  { actor, now }: { actor: string; now: RuleContext },
): Taken {
  const isHeldForMemo =
    deposit.reason === 'unattributed_memo' || deposit.reason === 'memo_required';
  if (!isHeldForMemo && deposit.attributedTo === null) {
    if (
      deposit.operatorHold !== null &&
      missingOwner(deposit, ruleFor(now.policy, deposit)) !== null
    )
      return conflict('a person holds it: release it first, then name its owner');
    return conflict('the deposit is not held for its memo: its owner cannot be named');
  }
  const { attributedTo, endsApprovals } = decision;
  return evaluatedAs(
    endsApprovals
      ? { ...deposit, attributedTo, attributedBy: actor, approvals: [] }
      : { ...deposit, attributedTo },
    now,
  );
}

/**
 * Handles an operator's decision about a deposit. An approval is bound to the epoch and the owner,
 * counts once per person, and never replaces verification. No decision credits a deposit that the
 * custody API has not confirmed. A decision about another version than the person read is refused.
 */
export function handleDepositDecision(
  deposit: Deposit,
  decision: DepositDecision,
  context: { actor: string; now: RuleContext },
): Taken {
  const { actor, now } = context;
  if (deposit.credit !== null) {
    return conflict(`the deposit is ${deposit.state} already: its credit is in the feed`);
  }
  const stale = changedSince(partsOf(deposit), decision.basis);
  if (stale !== null) return conflict(stale);
  switch (decision.kind) {
    case 'approve':
      return approved(deposit, decision.reason, context);
    case 'hold':
      return evaluatedAs({ ...deposit, operatorHold: `${actor}: ${decision.reason}` }, now);
    case 'release':
      if (deposit.operatorHold === null && !deposit.decimalsChanged) return notReleased(deposit);
      // One hold at a time: lifting a person's hold does not confirm the decimals.
      return evaluatedAs(
        deposit.operatorHold === null
          ? { ...deposit, decimalsChanged: false }
          : { ...deposit, operatorHold: null },
        now,
      );
    case 'attribute':
      return attributed(deposit, decision, context);
    default:
      return decision satisfies never;
  }
}

/**
 * Handles a consumer's acknowledgement of a credit. It is idempotent for every credit ever issued,
 * and bound to its first reference (`acknowledgedAs`, null before), even after a reversal.
 */
export function handleAcknowledgement(
  deposit: Deposit,
  decision: Extract<Decision, { kind: 'acknowledge' }>,
  context: { acknowledgedAs: string | null; now: RuleContext },
): Taken | { readonly kind: 'known' } {
  const { acknowledgedAs, now } = context;
  if (acknowledgedAs === decision.reference) return { kind: 'known' };
  if (acknowledgedAs !== null) {
    const detail = `acknowledged already with reference ${JSON.stringify(acknowledgedAs)}: another consumer may have booked it. Compare your bookings.`;
    return conflict(detail, 'other-reference');
  }
  const { credit } = deposit;
  if (credit === null || credit.creditId !== decision.creditId) {
    const detail = `${decision.creditId} was reversed, or is a reversal: there is nothing to acknowledge. Go on with the feed.`;
    return conflict(detail, 'reversed');
  }
  return evaluatedAs({ ...deposit, credit: { ...credit, reference: decision.reference } }, now);
}
