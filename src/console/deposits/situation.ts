import type { Break } from '../../domain/break/break.ts';
import {
  approvers,
  depthOf,
  isApproved,
  isBeforeStart,
  missingOwner,
  type Deposit,
  type HoldReason,
} from '../../domain/deposit/deposit.ts';
import { approvalsNeeded, type DepositRule, type PolicyRule } from '../../domain/policy/policy.ts';
import type { Decimals } from '../../pages/parts/value/amount.tsx';
import { grouped } from '../../pages/parts/value/figure.ts';
import type { DepositLife } from '../../store/answers.ts';
import { confirmationsText, limitText } from './terms.ts';

/** A deposit's situation for a person: what happened, and what to do next. */
export interface Situation {
  readonly title: string;
  readonly next: string;
}

/** A condition of the credit, as the rule asks for it now. */
export interface Gate {
  readonly name: string;
  readonly isOpen: boolean;
  /** The figures: `4 of 6`. */
  readonly detail: string;
}

const OF_HOLD: Record<HoldReason, Situation> = {
  operator_hold: {
    title: 'A person holds it',
    next: 'Release it when the reason has ended.',
  },
  vault_not_credited: {
    title: 'The policy does not credit its vault',
    next: 'Nothing to do, unless the vaults of the policy are wrong.',
  },
  before_start: {
    title: 'Its transaction is older than the start of the policy',
    next: 'Nothing to do, if the system before Counterfoil has credited it. Otherwise credit it by hand.',
  },
  unattributed_memo: {
    title: 'Its memo belongs to nobody',
    next: 'Find out whose it is, and name its owner.',
  },
  memo_required: {
    title: 'It came without a memo, and the policy requires one',
    next: 'Find out whose it is, and name its owner.',
  },
  decimals_changed: {
    title: 'Its asset came with other decimals than before',
    next: 'Compare the decimals with the chain. Release the deposit if they are right.',
  },
  dust: {
    title: 'It is smaller than the policy’s minimum',
    next: 'Nothing to do, unless the minimum of the policy is wrong.',
  },
  halted: {
    title: 'Crediting is halted',
    next: 'Resume crediting in the policy when the halt is over.',
  },
  approval_required: {
    title: 'It waits for approval',
    next: 'Check the deposit, and approve it. The person who named its owner cannot give the last approval.',
  },
};

/** `2`; `1 by webhooks, 2 by the custody API` where they differ and the custody API said one. */
export function depthText({ confirmations, custodyConfirmations }: Deposit): string {
  return custodyConfirmations === 0 || custodyConfirmations === confirmations
    ? grouped(confirmations)
    : `${grouped(confirmations)} by webhooks, ${grouped(custodyConfirmations)} by the custody API`;
}

/** The breaks about the deposit itself that are open. */
function openBreaks({ deposit, breaks }: DepositLife): readonly Break[] {
  const isOpen = ({ state, subject }: Break): boolean =>
    state !== 'resolved' && subject.depositId === deposit.depositId;
  return breaks.map(({ found }) => found).filter(isOpen);
}

/** Details of breaks begin small and end without a point. */
function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** Whether only another match is missing: the last one is too old for a credit. */
function needsAnotherMatch(deposit: Deposit): boolean {
  const { state, verifiedAt, custodyConfirmations, requiredConfirmations } = deposit;
  return (
    state === 'verifying' && verifiedAt !== null && custodyConfirmations >= requiredConfirmations
  );
}

function ofVerifying(life: DepositLife): Situation {
  const open = openBreaks(life);
  const difference = open.find(({ type }) => type !== 'stale_deposit');
  if (difference !== undefined) {
    return {
      title: 'The custody API says otherwise',
      next: `${sentence(difference.detail)} No credit follows while this difference is open.`,
    };
  }
  const { verifiedAt, custodyConfirmations } = life.deposit;
  const isOld = needsAnotherMatch(life.deposit);
  if (isOld && open.length === 0) {
    return {
      title: 'The custody API must show it again',
      next: 'Its record matched more than an hour ago. Counterfoil asks again within minutes.',
    };
  }
  if (verifiedAt !== null && !isOld) {
    return {
      title: 'The custody API shows too few confirmations',
      next: `Its record matched at depth ${custodyConfirmations}. Counterfoil asks again.`,
    };
  }
  return open.length === 0
    ? {
        title: 'The custody API has not confirmed it yet',
        next: 'Nothing to do: Counterfoil asks within seconds, and again at every run.',
      }
    : {
        title: 'The custody API has not confirmed it for a long time',
        next: 'Check that the custody API answers, then ask the custody service about its transaction. The credit follows when the API’s record matches.',
      };
}

/** Why a held deposit waits, and what ends the hold. */
function ofHeld(deposit: Deposit, rule: PolicyRule): Situation {
  const { reason } = deposit;
  if (reason === null) return { title: 'It is held', next: '' };
  return reason === 'operator_hold' && missingOwner(deposit, rule) !== null
    ? { title: OF_HOLD[reason].title, next: 'Release it first, then name its owner.' }
    : OF_HOLD[reason];
}

/** Whether the amount is still to be taken back, or who has resolved its break. */
function ofReversed({ breaks }: DepositLife): Situation {
  const title = 'It was rolled back after its credit';
  const ofCredit = breaks
    .map(({ found }) => found)
    .filter(({ type }) => type === 'reversal_after_credit');
  const last = ofCredit.at(-1);
  return last?.state === 'resolved'
    ? {
        title,
        next: `The feed has the reversal. ${last.resolvedBy} resolved its break: ${last.resolution}`,
      }
    : { title, next: 'The feed has the reversal. Take the amount back from the customer.' };
}

/** Why the deposit is where it is. */
export function situationOf(life: DepositLife, rule: PolicyRule): Situation {
  const { deposit } = life;
  switch (deposit.state) {
    case 'detected':
      return {
        title: 'It is in the mempool',
        next: 'Nothing to do: nothing is posted before the first confirmation.',
      };
    case 'confirming':
      return {
        title: `It has ${depthOf(deposit)} of ${deposit.requiredConfirmations} confirmations`,
        next: 'Nothing to do: further blocks confirm it.',
      };
    case 'verifying':
      return ofVerifying(life);
    case 'held':
      return ofHeld(deposit, rule);
    case 'credited':
      return {
        title: 'Its credit is in the feed',
        next: 'The consumer has not acknowledged it yet.',
      };
    case 'settled':
      return { title: 'It is credited and acknowledged', next: 'Nothing to do.' };
    case 'internal':
      return {
        title: deposit.change ? 'It is change of an own transaction' : 'It is an own transfer',
        next: 'It is no customer’s deposit, so it is not credited.',
      };
    case 'rolled_back':
      return {
        title: 'Its block was rolled back',
        next: 'Nothing to do: it was not credited. It begins again if it is mined again.',
      };
    case 'reversed':
      return ofReversed(life);
    default:
      return deposit.state satisfies never;
  }
}

/** The condition about the age of its transaction, in a policy that has a start. */
function startGateOf(deposit: Deposit, rule: DepositRule): Gate[] {
  if (rule.startsAt === null) return [];
  const { custodyCreatedAt } = deposit;
  const start = new Date(rule.startsAt).toISOString();
  const created =
    custodyCreatedAt === null ? 'an unknown time' : new Date(custodyCreatedAt).toISOString();
  return [
    {
      name: 'Not older than the start of the policy',
      isOpen: !isBeforeStart(deposit, rule),
      detail: `the custody service created it at ${created}; the policy starts at ${start}`,
    },
  ];
}

/** What names the owner of a deposit that lacks none. */
function foundBy({ accountId, addressId, memo }: Deposit): string {
  return accountId === null && addressId === null && memo === null
    ? 'by its vault: it has no address, account or memo'
    : 'by address, account or memo';
}

/** The conditions of a credit, by the rule that is in force. */
export function gatesOf(
  deposit: Deposit,
  { rule, decimals }: { readonly rule: DepositRule; readonly decimals: Decimals },
): Gate[] {
  const needed = approvalsNeeded(rule, deposit.amount);
  const people = [...approvers(deposit)];
  const lacksOwner = missingOwner(deposit, rule) !== null;
  const { verifiedAt, custodyConfirmations, attributedTo, operatorHold } = deposit;
  const isOld = needsAnotherMatch(deposit);
  return [
    {
      name: 'Deep enough',
      isOpen: depthOf(deposit) >= rule.confirmations,
      detail: `${confirmationsText(rule.confirmations)} needed; it has ${depthText(deposit)}`,
    },
    {
      name: 'Confirmed by the custody API',
      isOpen: verifiedAt !== null && custodyConfirmations >= rule.confirmations && !isOld,
      detail:
        verifiedAt === null
          ? 'its record has not matched yet'
          : `its record matched at depth ${custodyConfirmations}${isOld ? ' more than an hour ago' : ''}`,
    },
    {
      name: 'Its vault is credited',
      isOpen: rule.creditsVault,
      detail: rule.creditsVault ? 'by the policy' : 'the policy credits other vaults',
    },
    ...startGateOf(deposit, rule),
    {
      name: 'Owner known',
      isOpen: !lacksOwner,
      detail: attributedTo ?? (lacksOwner ? 'no registered memo' : foundBy(deposit)),
    },
    {
      name: 'Approved',
      isOpen: isApproved(deposit, needed),
      detail:
        needed === 0
          ? 'the policy asks for no approval'
          : `${people.length} of ${needed}${people.length === 0 ? '' : `: ${people.join(', ')}`}`,
    },
    {
      name: 'Large enough',
      isOpen: deposit.amount >= rule.minimumAmount,
      detail:
        rule.minimumAmount === 0n
          ? 'the policy sets no minimum'
          : `at least ${limitText(rule.minimumAmount, deposit.asset, decimals)}`,
    },
    {
      name: 'No hold by a person',
      isOpen: operatorHold === null,
      detail: operatorHold ?? 'nobody holds it by hand',
    },
    {
      name: 'Crediting is not halted',
      isOpen: !rule.halted,
      detail: rule.halted ? 'the policy halts it' : 'by the policy',
    },
    {
      name: 'Decimals as before',
      isOpen: !deposit.decimalsChanged,
      detail: deposit.decimalsChanged
        ? 'a notification names other decimals'
        : 'every notification names the same',
    },
  ];
}
