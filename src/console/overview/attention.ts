import { negated, plus, type Amount } from '../../domain/money/amount.ts';
import { differenceOf, type Severity } from '../../domain/break/break.ts';
import type { Cause } from '../../domain/break/cause.ts';
import type { Deposit, HoldReason } from '../../domain/deposit/deposit.ts';
import { haltsIn, scopeText } from '../../domain/policy/halt.ts';
import type { Oldest, ShownBreak, SignedDay } from '../../store/answers.ts';
import { grouped } from '../../pages/parts/value/figure.ts';
import { causeText, typeText } from '../parts/break-causes.ts';
import { breakText } from '../../domain/break/shown-text.ts';
import type { PolicyRow } from '../../store/records.ts';
import type { OverdueDays } from '../parts/journal-days.ts';
import type { BreaksForPeople, CountedGroup } from './breaks-for-people.ts';

/** Money at stake: the difference of a break, the amount of a deposit, or a sum of such. */
interface Stake {
  readonly amount: Amount;
  readonly asset: string;
  /** A difference has a direction; its sign is shown. */
  readonly isDifference: boolean;
}

/** The held deposits that were read, by id. */
type HeldDeposits = ReadonlyMap<string, Deposit>;

/** Something that waits for a person. */
export interface Attention {
  readonly subject: 'break' | 'deposit' | 'day' | 'policy';
  readonly id: string;
  /** Several breaks of one cause, and how many; null for one thing. */
  readonly group: { readonly cause: Cause; readonly count: number } | null;
  readonly severity: Severity;
  /** A few words: `unexplained movement`. */
  readonly title: string;
  /** Who looks after it, and what happened since, and when; Unix milliseconds. */
  readonly notes: readonly { readonly text: string; readonly at?: number }[];
  /** One sentence. */
  readonly detail: string;
  /** The asset whose decimals the amounts of `detail` have. */
  readonly asset: string | null;
  /** Of several breaks the sums, or that of the most urgent one where they are about one hash. */
  readonly stakes: readonly Stake[];
  /** Since when it waits, Unix milliseconds. */
  readonly since: number;
  /** Whether a decision about a deposit ends it. */
  readonly isDecision: boolean;
}

const RANK: Readonly<Record<Severity, number>> = { critical: 0, warning: 1, info: 2 };

/**
 * What a hold waits for. A hold below the minimum amount waits for nobody, and a halt is listed
 * itself.
 */
const WAITS_FOR = {
  operator_hold: 'A person holds it: release it when the reason has ended.',
  unattributed_memo: 'Its memo belongs to no customer: attribute it.',
  memo_required: 'It came without the memo that the policy requires: name its owner.',
  decimals_changed: 'A notification names other decimals: correct the asset or release it.',
  approval_required: 'The policy asks for an approval.',
} as const satisfies Partial<Record<HoldReason, string>>;

type ReasonForPeople = keyof typeof WAITS_FOR;

/** Reasons of holds that end by a person's decision alone. */
export const REASONS_FOR_PEOPLE = Object.keys(WAITS_FOR) as ReasonForPeople[];

/** A single thing that asks no decision about a deposit and holds no money. */
const PLAIN = {
  group: null,
  notes: [],
  asset: null,
  stakes: [],
  isDecision: false,
} as const satisfies Partial<Attention>;

function ofBreak(one: ShownBreak, held: HeldDeposits): Attention {
  return {
    subject: 'break',
    id: one.breakId,
    group: null,
    severity: one.severity,
    title: typeText(one.type),
    notes: notesOf(one),
    detail: breakText(one),
    asset: one.subject.asset,
    stakes: stakeOf(one, held),
    since: one.openedAt,
    isDecision: isDecision(one),
  };
}

/** Naming the memo's owner ends the break. */
function isDecision({ type }: ShownBreak): boolean {
  return type === 'unattributed_memo';
}

function stakeOf(one: ShownBreak, held: HeldDeposits): Stake[] {
  const { asset, depositId } = one.subject;
  const amount = differenceOf(one);
  if (amount !== null && asset !== null) return [{ amount, asset, isDifference: true }];
  const deposit = depositId === null ? undefined : held.get(depositId);
  return deposit === undefined ? [] : [stakeOfDeposit(deposit)];
}

function stakeOfDeposit({ amount, asset }: Deposit): Stake {
  return { amount, asset, isDifference: false };
}

/** Differences of each asset together: a sum with signs would hide what two of them have lost. */
function sumsOf(stakes: readonly Stake[]): Stake[] {
  const sums = new Map<string, Amount>();
  for (const { amount, asset } of stakes) {
    const size = amount < 0n ? negated(amount) : amount;
    const sum = sums.get(asset);
    sums.set(asset, sum === undefined ? size : plus(sum, size));
  }
  return [...sums].map(([asset, amount]) => ({ amount, asset, isDifference: false }));
}

/** Breaks of one cause as one row, which is as urgent as the first of them. */
function ofGroup({ cause, breaks, total }: CountedGroup, held: HeldDeposits): Attention[] {
  const [first] = breaks;
  if (first === undefined) return [];
  const mostUrgent = ofBreak(first, held);
  const each = breaks.flatMap((one) => stakeOf(one, held));
  // Breaks of one hash may be about the same money, so only others have a sum.
  const isSum = cause.blockchainHash === null;
  const isPartly = isSum && each.length > 0 && each.length < total;
  return [
    {
      ...mostUrgent,
      group: { cause, count: total },
      title: `${grouped(total)} × ${causeText(cause)}`,
      notes: isPartly ? [{ text: `amounts of ${each.length} of them` }] : [],
      detail: `The most urgent: ${mostUrgent.detail}`,
      stakes: isSum ? sumsOf(each) : mostUrgent.stakes,
      since: Math.min(...breaks.map(({ openedAt }) => openedAt)),
      isDecision: breaks.some(isDecision),
    },
  ];
}

/** A break's state since it opened. */
function notesOf(one: ShownBreak): Attention['notes'] {
  return [
    ...(one.type === 'reversal_after_credit' ? [reversalNote(one)] : []),
    ...(one.state === 'investigating' ? [{ text: 'investigating' }] : []),
    ...(one.assignee === null ? [] : [{ text: one.assignee }]),
    ...(one.severity === one.originalSeverity
      ? []
      : [{ text: `${one.originalSeverity} at first` }]),
  ];
}

/** The break's own text describes the rollback, before the reversal. */
function reversalNote({ reversal }: ShownBreak): Attention['notes'][number] {
  if (reversal === null) return { text: 'not reversed in the feed yet' };
  return { text: 'reversed in the feed,', at: reversal.createdAt };
}

function ofDeposit(deposit: Deposit): Attention[] {
  const reason = REASONS_FOR_PEOPLE.find((one) => one === deposit.reason);
  if (reason === undefined) return [];
  return [
    {
      ...PLAIN,
      subject: 'deposit',
      id: deposit.depositId,
      severity: reason === 'operator_hold' ? 'info' : 'warning',
      title: `held: ${reason.replaceAll('_', ' ')}`,
      detail: WAITS_FOR[reason],
      asset: deposit.asset,
      stakes: [stakeOfDeposit(deposit)],
      since: deposit.firstSeenAt,
      isDecision: true,
    },
  ];
}

function ofOverdue({ first, last, count, since }: OverdueDays): Attention {
  const days = first === last ? `day ${last}` : `days ${first} to ${last}`;
  return {
    ...PLAIN,
    subject: 'day',
    id: last,
    severity: 'warning',
    title: days,
    detail:
      count === 1
        ? 'The day has ended and is not closed: close it.'
        : `${count} days have ended and are not closed. To close the last one closes them all.`,
    since,
  };
}

function ofDay({ close, signatures }: SignedDay): Attention[] {
  const signed = new Set(signatures.map(({ role }) => role));
  const missing = (['preparer', 'reviewer'] as const).find((role) => !signed.has(role));
  if (missing === undefined) return [];
  return [
    {
      ...PLAIN,
      subject: 'day',
      id: close.day,
      severity: close.status === 'exceptions' ? 'warning' : 'info',
      title: `day ${close.day}`,
      detail: `The report (${close.status}) waits for its ${missing}.`,
      since: close.closedAt,
    },
  ];
}

function ofPolicy({ policy, setAt, actor }: PolicyRow): Attention[] {
  return haltsIn(policy).map((scope) => ({
    ...PLAIN,
    subject: 'policy',
    id: scopeText(scope),
    severity: 'warning',
    title: 'credits are halted',
    detail: `No deposit of ${scopeText(scope)} is credited; ${actor} set the policy last.`,
    since: setAt,
  }));
}

/** Everything that waits, and how much of each subject. */
export interface AttentionList {
  /** The most severe first, then what holds money, then the oldest. */
  readonly items: readonly Attention[];
  /** How much of each subject waits, whether or not it is among the items. */
  readonly totals: Readonly<Record<Attention['subject'], number>>;
  /** Young breaks that may close by themselves. They are not among the items. */
  readonly healing: number;
}

/** Rows that each subject keeps, however much more urgent another one is. */
const ROWS_KEPT = 3;

/**
 * The rows that a list of so many shows, in its order: the first of each subject, then the most
 * urgent. Many breaks of one cause must not hide that deposits wait.
 */
export function rowsOf(items: readonly Attention[], limit: number): readonly Attention[] {
  const counts = new Map<Attention['subject'], number>();
  const isKept = ({ subject }: Attention): boolean => {
    const count = (counts.get(subject) ?? 0) + 1;
    counts.set(subject, count);
    return count <= ROWS_KEPT;
  };
  const kept = new Set(items.filter(isKept));
  const others = items.filter((one) => !kept.has(one)).slice(0, Math.max(0, limit - kept.size));
  const shown = new Set([...kept, ...others]);
  return items.filter((one) => shown.has(one)).slice(0, limit);
}

/** Lists what waits: the most severe first, then what holds money, then the oldest. */
export function attentionOf(found: {
  readonly breaks: BreaksForPeople;
  readonly held: Oldest<Deposit>;
  readonly unsigned: Oldest<SignedDay>;
  readonly overdue: OverdueDays | undefined;
  readonly policy: PolicyRow | undefined;
}): AttentionList {
  const { breaks, held, unsigned, overdue, policy } = found;
  // A hold for the memo or the decimals has a break, which says more.
  const withBreak = new Set(breaks.items.map(({ subject }) => subject.depositId));
  const withoutBreak = held.items.filter(({ depositId }) => !withBreak.has(depositId));
  const inGroups = new Set(breaks.groups.flatMap((group) => group.breaks));
  const heldById = new Map(held.items.map((one) => [one.depositId as string, one]));
  const halts = policy === undefined ? [] : ofPolicy(policy);
  const late = overdue === undefined ? [] : [ofOverdue(overdue)];
  const items = [
    ...breaks.groups.flatMap((group) => ofGroup(group, heldById)),
    ...breaks.items.filter((one) => !inGroups.has(one)).map((one) => ofBreak(one, heldById)),
    ...withoutBreak.flatMap(ofDeposit),
    ...late,
    ...unsigned.items.flatMap(ofDay),
    ...halts,
  ].toSorted(
    (left, right) =>
      RANK[left.severity] - RANK[right.severity] ||
      Number(left.stakes.length === 0) - Number(right.stakes.length === 0) ||
      left.since - right.since,
  );
  const totals = {
    break: breaks.total,
    deposit: held.total - (held.items.length - withoutBreak.length),
    day: unsigned.total + late.length,
    policy: halts.length,
  };
  return { items, totals, healing: breaks.healing };
}
