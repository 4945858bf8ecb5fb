import { approvalsNeeded, ruleFor } from './crediting.ts';
import { approvers, type Deposit, type HoldReason } from './deposit.ts';
import type { Decision, Refusal } from './decision.ts';
import { changes, type Changes, type Circumstances } from './dossier.ts';
import { entryOf, type Entry } from './entry.ts';
import type { BalanceChange } from './notification.ts';
import { settle } from './settlement.ts';

/** A decision taken, or why not. */
export type Taken =
  | { readonly kind: 'taken'; readonly changes: Changes }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

export type DepositDecision = Extract<
  Decision,
  { kind: 'approve' | 'hold' | 'release' | 'attribute' }
>;

function conflict(detail: string): Taken {
  return { kind: 'refused', refusal: { kind: 'conflict', detail } };
}

/** What lets a deposit go on that a release does not. */
const NEXT_STEP: Partial<Record<HoldReason, string>> = {
  approval_required: 'approve it with POST /v1/deposits/{id}/approve',
  unattributed_memo: 'say whose it is with POST /v1/deposits/{id}/attribute',
  memo_required: 'say whose it is with POST /v1/deposits/{id}/attribute',
  dust: 'change minimumAmount with PUT /v1/policy',
  halted: 'resume crediting with POST /v1/policy/resume',
};

function nextStep(reason: HoldReason | null): string {
  const step = reason === null ? undefined : NEXT_STEP[reason];
  return step === undefined ? '' : `: ${step}`;
}

function settledAs(deposit: Deposit, now: Circumstances): Taken {
  const { deposit: after, items, found, healed } = settle({ ...deposit, updatedAt: now.at }, now);
  return { kind: 'taken', changes: changes({ deposits: [after], items, found, healed }) };
}

function approved(
  deposit: Deposit,
  reason: string,
  { actor, now }: { actor: string; now: Circumstances },
): Taken {
  if (deposit.evidence !== 'confirmed') {
    return conflict('the deposit is not confirmed on-chain: approve it when it is');
  }
  if (deposit.state === 'internal') return conflict('an internal transfer is never credited');
  const people = approvers(deposit);
  if (people.has(actor)) {
    return conflict(`${actor} has approved it already: a second approval needs another person`);
  }
  const needed = approvalsNeeded(ruleFor(now.policy, deposit), deposit.amount);
  if (actor === deposit.attributedBy && people.size + 1 >= needed) {
    return conflict(`${actor} attributed it: the last approval needs another person`);
  }
  const approval = { person: actor, reason, at: now.at };
  return settledAs({ ...deposit, approvals: [...deposit.approvals, approval] }, now);
}

/** Approvals were for the owner that people saw: another attribution starts them over. */
function attributed(
  deposit: Deposit,
  decision: Extract<DepositDecision, { kind: 'attribute' }>,
  { actor, now }: { actor: string; now: Circumstances },
): Taken {
  const isHeldForMemo =
    deposit.reason === 'unattributed_memo' || deposit.reason === 'memo_required';
  if (!isHeldForMemo && deposit.attributedTo === null) {
    return conflict('only a deposit that is held for its memo can be attributed');
  }
  const { attributedTo, endsApprovals } = decision;
  return settledAs(
    endsApprovals
      ? { ...deposit, attributedTo, attributedBy: actor, approvals: [] }
      : { ...deposit, attributedTo },
    now,
  );
}

/**
 * An operator's decision about a deposit. An approval is bound to the epoch and the owner, counts
 * once per person, and never replaces verification; nothing here can credit what the custody API
 * has not confirmed.
 */
export function decideAboutDeposit(
  deposit: Deposit,
  decision: DepositDecision,
  context: { actor: string; now: Circumstances },
): Taken {
  const { actor, now } = context;
  if (deposit.credit !== null) {
    return conflict(`the deposit is ${deposit.state} already: its credit is in the feed`);
  }
  switch (decision.kind) {
    case 'approve':
      return approved(deposit, decision.reason, context);
    case 'hold':
      return settledAs({ ...deposit, operatorHold: `${actor}: ${decision.reason}` }, now);
    case 'release':
      if (deposit.operatorHold === null && !deposit.decimalsChanged) {
        return conflict(
          deposit.state === 'held'
            ? `no person holds it: it is held because of ${deposit.reason}, and a release does not change that${nextStep(deposit.reason)}`
            : 'it is not held',
        );
      }
      // One hold at a time: who lifts a person's hold has not looked at the decimals.
      return settledAs(
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
 * A consumer acknowledges a credit: idempotent for every credit ever issued, and bound to its first
 * reference (`acknowledgedAs`, null before) also when the credit has been reversed since.
 */
export function decideAcknowledgement(
  deposit: Deposit,
  decision: Extract<Decision, { kind: 'acknowledge' }>,
  context: { acknowledgedAs: string | null; now: Circumstances },
): Taken | { readonly kind: 'known' } {
  const { acknowledgedAs, now } = context;
  if (acknowledgedAs === decision.reference) return { kind: 'known' };
  if (acknowledgedAs !== null) {
    return conflict(`acknowledged already with reference ${JSON.stringify(acknowledgedAs)}`);
  }
  const { credit } = deposit;
  if (credit === null || credit.creditId !== decision.creditId) {
    return conflict('the credit has been reversed: nothing stands to be acknowledged');
  }
  return settledAs({ ...deposit, credit: { ...credit, reference: decision.reference } }, now);
}

/**
 * The entry by which the books follow a chain movement that nothing explained: its counterpart is
 * `suspense:<vault>`, and the resolution is its reason on record.
 */
export function suspenseEntry(
  subject: Pick<Entry, 'vaultId' | 'network' | 'blockchainHash'>,
  onChain: readonly BalanceChange[],
  entryId: number,
): Entry {
  const head = {
    entryId,
    view: 'books',
    source: 'decision',
    cause: 'suspense',
    transactionId: null,
    reverses: null,
    vaultId: subject.vaultId,
    network: subject.network,
    blockchainHash: subject.blockchainHash,
  } as const;
  return entryOf(head, onChain);
}
