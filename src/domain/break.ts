import type { Amount } from './amount.ts';
import type {
  AssetId,
  BlockchainHash,
  BreakId,
  DepositId,
  NetworkKey,
  TransactionId,
  VaultId,
} from './ids.ts';

/** Kinds of open differences. */
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

/** About a body that arrived, whoever sent it: no comparison finds or heals these. */
export const BODY_BREAKS = [
  'id_conflict',
  'quarantined',
  'malformed',
] as const satisfies readonly BreakType[];

/** Books against chain view: a run compares them in the store, with no word from the custody API. */
export const LOCAL_BREAKS = [
  'conservation',
  'unexplained_movement',
] as const satisfies readonly BreakType[];

export type Severity = 'info' | 'warning' | 'critical';

/** Severity of a break whose opener does not say otherwise. */
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

export type BreakState = 'open' | 'investigating' | 'resolved';

/** What a break is about; every part may be absent. */
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
 * A difference as found now. `key` is stable: one break is open per key, and finding it again
 * updates that one. `expected` is the custody's side (or the chain's), `actual` ours,
 * difference = actual − expected, sign kept.
 */
export interface Finding {
  readonly type: BreakType;
  readonly key: string;
  readonly severity: Severity;
  readonly subject: BreakSubject;
  readonly expected: Amount | null;
  readonly actual: Amount | null;
  /** One sentence for the person who is woken by it. */
  readonly detail: string;
}

/** `severity` is as it counts now: `originalSeverity`, or above it by age. */
export interface Break extends Finding {
  readonly breakId: BreakId;
  readonly state: BreakState;
  /** The severity of the difference itself, as it was found last. */
  readonly originalSeverity: Severity;
  /** Who looks after it, in the operators' own terms; null: nobody yet. */
  readonly assignee: string | null;
  readonly openedAt: number;
  readonly updatedAt: number;
  readonly resolvedAt: number | null;
  readonly resolvedBy: string | null;
  readonly resolution: string | null;
}

/** What can happen to a break. `changed`: found again with other figures or in other words. */
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

/** What of a break may change while it is open; nothing of it is overwritten without an event. */
export type BreakFigures = Pick<Finding, 'expected' | 'actual' | 'severity'>;

/** One line of a break's history. */
export interface BreakEvent {
  readonly breakId: BreakId;
  readonly at: number;
  readonly actor: string;
  readonly action: BreakAction;
  readonly reason: string;
  /** The figures before and after `opened`, `changed` and `escalated`; null where none moved. */
  readonly before: BreakFigures | null;
  readonly after: BreakFigures | null;
}

/** A break after something happened to it, with the line of its history that says so. */
export interface BreakStep {
  readonly after: Break;
  readonly event: BreakEvent;
}

/** Who opens and heals breaks that no person touched. */
export const RECONCILER = 'reconciler';

export function breakKey(type: BreakType, ...parts: readonly (string | null)[]): string {
  return JSON.stringify([type, ...parts]);
}

/** A finding with its type's severity and an empty subject, overridden by what is given. */
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

export function figuresOf({ expected, actual, severity }: Finding): BreakFigures {
  return { expected, actual, severity };
}

/** A break of a difference that was not open until now. */
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

/** Whether a finding tells nothing that the open break of its key does not say already. */
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

/** What age has raised stays up when the same difference is found again. */
function severityNow(known: Break, found: Finding): Severity {
  const raised = known.severity !== known.originalSeverity;
  return raised && compareSeverity(known.severity, found.severity) > 0
    ? known.severity
    : found.severity;
}

/** The open break after the same difference was found again with other figures, or in other words. */
export function foundAgain(known: Break, found: Finding, at: number): BreakStep {
  const after: Break = {
    ...known,
    ...found,
    severity: severityNow(known, found),
    originalSeverity: found.severity,
    updatedAt: at,
  };
  return {
    after,
    event: {
      breakId: known.breakId,
      at,
      actor: RECONCILER,
      action: 'changed',
      reason: changeText(known, after),
      before: figuresOf(known),
      after: figuresOf(after),
    },
  };
}

/** `actual 90 → 95, difference -10 → -5`; where no figure moved, what was said before. */
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

/** Closes a break. Its figures stay as they were last: a resolved difference keeps its sign. */
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
