import type { Amount } from '../../domain/money/amount.ts';
import { differenceOf, type Severity } from '../../domain/break/break.ts';
import type { Deposit, HoldReason } from '../../domain/deposit/deposit.ts';
import { haltsIn, scopeText } from '../../domain/policy/halt.ts';
import type { ShownBreak, SignedDay } from '../../store/answers.ts';
import type { PolicyRow } from '../../store/records.ts';
import { momentText } from '../../pages/parts/figure.ts';

/** Something that waits for a person. */
export interface Attention {
  readonly subject: 'break' | 'deposit' | 'day' | 'policy';
  readonly id: string;
  readonly severity: Severity;
  /** A few words: `unexplained movement`. */
  readonly title: string;
  /** Who looks after it, and what happened since. */
  readonly notes: readonly string[];
  /** One sentence. */
  readonly detail: string;
  /** The money at stake. */
  readonly amount: { readonly amount: Amount; readonly asset: string } | null;
  /** Since when it waits, Unix milliseconds. */
  readonly since: number;
}

const RANK: Readonly<Record<Severity, number>> = { critical: 0, warning: 1, info: 2 };

/** What a hold waits for. A hold below the minimum amount waits for nobody. */
const WAITS_FOR: Readonly<Partial<Record<HoldReason, string>>> = {
  operator_hold: 'A person holds it: release it, or resolve why.',
  unattributed_memo: 'Its memo belongs to no customer: attribute it.',
  memo_required: 'It came without the memo that the policy requires: attribute it.',
  decimals_changed: 'A notification names other decimals: correct the asset or release it.',
  approval_required: 'The policy asks for an approval.',
};

function ofBreak(one: ShownBreak): Attention {
  const { asset } = one.subject;
  const difference = differenceOf(one);
  return {
    subject: 'break',
    id: one.breakId,
    severity: one.severity,
    title: one.type.replaceAll('_', ' '),
    notes: notesOf(one),
    detail: one.detail,
    amount: difference === null || asset === null ? null : { amount: difference, asset },
    since: one.openedAt,
  };
}

/** A break's state since it opened. */
function notesOf(one: ShownBreak): string[] {
  return [
    ...(one.type === 'reversal_after_credit' ? [reversalNote(one)] : []),
    ...(one.state === 'investigating' ? ['investigating'] : []),
    ...(one.assignee === null ? [] : [one.assignee]),
    ...(one.severity === one.originalSeverity ? [] : [`${one.originalSeverity} at first`]),
  ];
}

/** The break's own text describes the rollback, before the reversal. */
function reversalNote({ reversal }: ShownBreak): string {
  if (reversal === null) return 'not reversed in the feed yet';
  return `reversed in the feed, ${momentText(reversal.createdAt)}`;
}

function ofDeposit(deposit: Deposit): Attention[] {
  const detail = deposit.reason === null ? undefined : WAITS_FOR[deposit.reason];
  if (deposit.reason === null || detail === undefined) return [];
  return [
    {
      subject: 'deposit',
      id: deposit.depositId,
      severity: deposit.reason === 'operator_hold' ? 'info' : 'warning',
      title: `held: ${deposit.reason.replaceAll('_', ' ')}`,
      notes: [],
      detail,
      amount: { amount: deposit.amount, asset: deposit.asset },
      since: deposit.firstSeenAt,
    },
  ];
}

function ofDay({ close, signatures }: SignedDay): Attention[] {
  const signed = new Set(signatures.map(({ role }) => role));
  const missing = (['preparer', 'reviewer'] as const).find((role) => !signed.has(role));
  if (missing === undefined) return [];
  return [
    {
      subject: 'day',
      id: close.day,
      severity: close.status === 'exceptions' ? 'warning' : 'info',
      title: `day ${close.day}`,
      notes: [],
      detail: `The report (${close.status}) waits for its ${missing}.`,
      amount: null,
      since: close.closedAt,
    },
  ];
}

function ofPolicy({ policy, setAt, actor }: PolicyRow): Attention[] {
  return haltsIn(policy).map((scope) => ({
    subject: 'policy',
    id: scopeText(scope),
    severity: 'warning',
    title: 'credits are halted',
    notes: [],
    detail: `No deposit of ${scopeText(scope)} is credited; ${actor} set the policy last.`,
    amount: null,
    since: setAt,
  }));
}

/** Everything that waits: the most severe first, then what holds money, then the oldest. */
export function attentionOf(waiting: {
  readonly breaks: readonly ShownBreak[];
  readonly held: readonly Deposit[];
  readonly closes: readonly SignedDay[];
  readonly policy: PolicyRow | undefined;
}): Attention[] {
  const { breaks, held, closes, policy } = waiting;
  // A hold for the memo or the decimals has a break, which says more.
  const withBreak = new Set(breaks.map(({ subject }) => subject.depositId));
  return [
    ...breaks.map(ofBreak),
    ...held.filter(({ depositId }) => !withBreak.has(depositId)).flatMap(ofDeposit),
    ...closes.flatMap(ofDay),
    ...(policy === undefined ? [] : ofPolicy(policy)),
  ].toSorted(
    (left, right) =>
      RANK[left.severity] - RANK[right.severity] ||
      Number(left.amount === null) - Number(right.amount === null) ||
      left.since - right.since,
  );
}
