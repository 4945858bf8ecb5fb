import type { Amount } from '../money/amount.ts';
import type {
  AssetId,
  BlockchainHash,
  BreakId,
  DepositId,
  NetworkKey,
  TransactionId,
  VaultId,
} from '../ids.ts';

/** Types of breaks. */
export const BREAK_TYPES = [
  'missing_notification',
  'unknown_to_custody',
  'amount_mismatch',
  'amount_changed',
  'status_mismatch',
  'conservation',
  'unexplained_movement',
  'reversal_after_credit',
  'unattributed_memo',
  'id_conflict',
  'quarantined',
  'malformed',
  'stale_deposit',
  'stale_withdrawal',
  'subscription_drift',
  'delivery_backlog',
  'decimals_changed',
] as const;
export type BreakType = (typeof BREAK_TYPES)[number];

/** Breaks about a received body, whoever sent it: no comparison finds or resolves them. */
export const BODY_BREAKS = [
  'id_conflict',
  'quarantined',
  'malformed',
] as const satisfies readonly BreakType[];

/**
 * Breaks between books and chain view: a run compares them in the store, without the custody API.
 */
export const LOCAL_BREAKS = [
  'conservation',
  'unexplained_movement',
] as const satisfies readonly BreakType[];

export const SEVERITIES = ['info', 'warning', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** The severity of a break unless the finding sets another. */
export const SEVERITY_OF: Record<BreakType, Severity> = {
  missing_notification: 'warning',
  unknown_to_custody: 'critical',
  amount_mismatch: 'critical',
  amount_changed: 'warning',
  status_mismatch: 'warning',
  conservation: 'warning',
  unexplained_movement: 'warning',
  reversal_after_credit: 'critical',
  unattributed_memo: 'warning',
  id_conflict: 'critical',
  quarantined: 'warning',
  malformed: 'info',
  stale_deposit: 'warning',
  stale_withdrawal: 'warning',
  subscription_drift: 'warning',
  delivery_backlog: 'warning',
  decimals_changed: 'critical',
};

export const BREAK_STATES = ['open', 'investigating', 'resolved'] as const;
export type BreakState = (typeof BREAK_STATES)[number];

/** The subject of a break; every part may be absent. */
export interface BreakSubject {
  readonly vaultId: VaultId | null;
  readonly network: NetworkKey | null;
  readonly blockchainHash: BlockchainHash | null;
  readonly asset: AssetId | null;
  readonly transactionId: TransactionId | null;
  readonly depositId: DepositId | null;
}

export const NO_SUBJECT: BreakSubject = {
  vaultId: null,
  network: null,
  blockchainHash: null,
  asset: null,
  transactionId: null,
  depositId: null,
};

/**
 * A difference as found now. `key` is stable: one break is open per key, and a repeated finding
 * updates it. `expected` is the custody API's side (or the chain's), `actual` ours; difference =
 * actual − expected, sign kept.
 */
export interface Finding {
  readonly type: BreakType;
  readonly key: string;
  readonly severity: Severity;
  readonly subject: BreakSubject;
  readonly expected: Amount | null;
  readonly actual: Amount | null;
  /** One sentence for the operator on call. */
  readonly detail: string;
}

/** A break. `severity` is the current one: `originalSeverity`, or higher by age. */
export interface Break extends Finding {
  readonly breakId: BreakId;
  readonly state: BreakState;
  /** The severity of the last finding. */
  readonly originalSeverity: Severity;
  /** The assignee, in the operators' own terms; null without one. */
  readonly assignee: string | null;
  readonly openedAt: number;
  readonly updatedAt: number;
  readonly resolvedAt: number | null;
  readonly resolvedBy: string | null;
  readonly resolution: string | null;
}

/** Events in a break's history. `changed`: found again with other figures or another text. */
export const BREAK_ACTIONS = [
  'opened',
  'changed',
  'escalated',
  'noted',
  'assigned',
  'investigating',
  'resolved',
] as const;
export type BreakAction = (typeof BREAK_ACTIONS)[number];

/** The figures that may change while a break is open; each change has an event. */
export type BreakFigures = Pick<Finding, 'expected' | 'actual' | 'severity'>;

/** One event in a break's history. */
export interface BreakEvent {
  readonly breakId: BreakId;
  readonly at: number;
  readonly actor: string;
  readonly action: BreakAction;
  readonly reason: string;
  /** The figures before and after `opened`, `changed` and `escalated`; null for other events. */
  readonly before: BreakFigures | null;
  readonly after: BreakFigures | null;
}

/** A break after an event, with that event. */
export interface BreakStep {
  readonly after: Break;
  readonly event: BreakEvent;
}

/** The actor that opens and resolves breaks without a person. */
export const RECONCILER = 'reconciler';

/**
 * How the detail of an `unknown_to_custody` of a credited deposit ends. The texts of breaks never
 * change.
 */
export const UNKNOWN_AFTER_CREDIT =
  'it was credited, ask the custody service whether it is on the chain';

/** The stable key of a break, from its type and identifying parts. */
export function breakKey(type: BreakType, ...parts: readonly (string | null)[]): string {
  return JSON.stringify([type, ...parts]);
}

/** A finding with its type's severity and an empty subject, unless given. */
export function finding(
  type: BreakType,
  found: Pick<Finding, 'key' | 'detail'> &
    Partial<Omit<Finding, 'type' | 'key' | 'detail' | 'subject'>> & {
      subject?: Partial<BreakSubject>;
    },
): Finding {
  return {
    type,
    key: found.key,
    severity: found.severity ?? SEVERITY_OF[type],
    subject: { ...NO_SUBJECT, ...found.subject },
    expected: found.expected ?? null,
    actual: found.actual ?? null,
    detail: found.detail,
  };
}

/** actual − expected, or null where either is unknown. */
export function differenceOf(found: Pick<Finding, 'expected' | 'actual'>): Amount | null {
  if (found.expected === null || found.actual === null) return null;
  return (found.actual - found.expected) as Amount;
}

/** What a person's decision about a break depends on. Age alone changes none of these. */
export function partsOf({ state, assignee, expected, actual }: Break) {
  return [
    ['state', state],
    ['assignee', assignee],
    ['expected amount', expected?.toString() ?? null],
    ['actual amount', actual?.toString() ?? null],
  ] as const;
}

/** The figures of a finding. */
function figuresOf({ expected, actual, severity }: Finding): BreakFigures {
  return { expected, actual, severity };
}

/** Opens a break for a new difference. `at`: Unix milliseconds. */
export function opened(found: Finding, breakId: BreakId, at: number): BreakStep {
  const after: Break = {
    ...found,
    breakId,
    state: 'open',
    originalSeverity: found.severity,
    assignee: null,
    openedAt: at,
    updatedAt: at,
    resolvedAt: null,
    resolvedBy: null,
    resolution: null,
  };
  return {
    after,
    event: {
      breakId,
      at,
      actor: RECONCILER,
      action: 'opened',
      reason: found.detail,
      before: null,
      after: figuresOf(after),
    },
  };
}

/** Whether a finding adds nothing to its open break. */
export function saysNothingNew(known: Break | undefined, found: Finding): boolean {
  return (
    known !== undefined &&
    known.expected === found.expected &&
    known.actual === found.actual &&
    known.originalSeverity === found.severity &&
    known.detail === found.detail
  );
}

const RANK: Record<Severity, number> = { info: 0, warning: 1, critical: 2 };

/** Negative when `left` is less severe than `right`. */
export function compareSeverity(left: Severity, right: Severity): number {
  return RANK[left] - RANK[right];
}

/** A severity raised by age stays when the same difference is found again. */
function severityNow(known: Break, found: Finding): Severity {
  const raised = known.severity !== known.originalSeverity;
  return raised && compareSeverity(known.severity, found.severity) > 0
    ? known.severity
    : found.severity;
}

/**
 * Updates an open break whose difference was found again with other figures or another text. `at`:
 * Unix milliseconds.
 */
export function foundAgain(known: Break, found: Finding, at: number): BreakStep {
  const after: Break = {
    ...known,
    ...found,
    severity: severityNow(known, found),
    originalSeverity: found.severity,
    updatedAt: at,
  };
  return changedTo(after, known, { at, action: 'changed', reason: changeText(known, after) });
}

/** The reconciler's step from a known break to its new version, with the figures of both. */
export function changedTo(
  after: Break,
  known: Break,
  event: Pick<BreakEvent, 'at' | 'action' | 'reason'>,
): BreakStep {
  const { breakId } = known;
  const figures = { before: figuresOf(known), after: figuresOf(after) };
  return { after, event: { breakId, actor: RECONCILER, ...event, ...figures } };
}

/** `actual 90 → 95, difference -10 → -5`; the new text when no figure changed. */
function changeText(before: Break, after: Break): string {
  const moved = [
    ['expected', before.expected, after.expected],
    ['actual', before.actual, after.actual],
    ['difference', differenceOf(before), differenceOf(after)],
    ['severity', before.originalSeverity, after.originalSeverity],
  ].filter(([, from, to]) => from !== to);
  if (moved.length === 0) return `now: ${after.detail}`;
  return moved
    .map(
      ([name, from, to]) => `${String(name)} ${String(from ?? 'none')} → ${String(to ?? 'none')}`,
    )
    .join(', ');
}

/** Resolves a break. It keeps its last figures and their sign. `at`: Unix milliseconds. */
export function resolved(
  known: Break,
  by: { actor: string; reason: string; at: number },
): BreakStep {
  const { actor, reason, at } = by;
  return {
    after: {
      ...known,
      state: 'resolved',
      updatedAt: at,
      resolvedAt: at,
      resolvedBy: actor,
      resolution: reason,
    },
    event: {
      breakId: known.breakId,
      at,
      actor,
      action: 'resolved',
      reason,
      before: null,
      after: null,
    },
  };
}
