import type { Deposit } from '../../domain/deposit/deposit.ts';
import type { Amount } from '../../domain/money/amount.ts';
import { approvalsNeeded, policyVersion, ruleFor } from '../../domain/policy/policy.ts';
import type { PolicyRow } from '../../store/records.ts';
import type { Decimals } from '../../pages/parts/value/amount.tsx';
import { decimalText, symbolOf } from '../../pages/parts/value/figure.ts';

/** What the terms of a deposit are read from. */
export interface PolicyBook {
  /** The newest policies, newest first. */
  readonly policies: readonly PolicyRow[];
  readonly decimals: Decimals;
}

/** A deposit as it was when the policy decided about it. */
type Evaluated = Pick<Deposit, 'network' | 'asset' | 'amount' | 'approvals' | 'attributedTo'>;

/** `1 confirmation`, `6 confirmations` */
export function confirmationsText(count: number): string {
  return count === 1 ? '1 confirmation' : `${count} confirmations`;
}

function approvalText(needed: 0 | 1 | 2): string {
  if (needed === 0) return 'no approval needed';
  return needed === 1 ? 'one approval needed' : 'two approvals needed';
}

/** A limit of the policy in the asset's own unit; in smallest units without known decimals. */
export function limitText(limit: Amount, asset: string, decimals: Decimals): string {
  const count = decimals.get(asset);
  return count === undefined
    ? `${limit} smallest units`
    : `${decimalText(limit, count)} ${symbolOf(asset)}`;
}

/**
 * What the policy in force at a journal position asked of a deposit: `policy pol_3; 6 confirmations
 * required; two approvals needed, above 10 ETH; approved by olga, otto`. A policy older
 * than those that were read is not guessed.
 */
export function termsAt(seq: number, deposit: Evaluated, book: PolicyBook): string {
  const { amount, asset, approvals, attributedTo } = deposit;
  const held = book.policies.find((one) => one.seq <= seq);
  const people = [...new Set(approvals.map(({ person }) => person))];
  const by = [
    ...(people.length === 0 ? [] : [`approved by ${people.join(', ')}`]),
    ...(attributedTo === null ? [] : [`owner ${attributedTo}`]),
  ];
  if (held === undefined) return ['an older policy decided', ...by].join('; ');
  const rule = ruleFor(held.policy, deposit);
  const needed = approvalsNeeded(rule, amount);
  const shown = (limit: Amount): string => limitText(limit, asset, book.decimals);
  const limit = needed === 2 ? rule.twoApprovalsAbove : rule.oneApprovalAbove;
  return [
    `policy ${policyVersion(held)}`,
    `${confirmationsText(rule.confirmations)} required`,
    `${approvalText(needed)}${needed === 0 || limit === null ? '' : `, above ${shown(limit)}`}`,
    ...(rule.minimumAmount > 0n ? [`at least ${shown(rule.minimumAmount)}`] : []),
    ...(rule.requireMemo ? ['memo required'] : []),
    ...(rule.halted ? ['crediting halted'] : []),
    ...by,
  ].join('; ');
}
