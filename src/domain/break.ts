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

export interface Break extends Finding {
  readonly breakId: BreakId;
  readonly state: BreakState;
  readonly openedAt: number;
  readonly updatedAt: number;
  readonly resolvedAt: number | null;
  readonly resolvedBy: string | null;
  readonly resolution: string | null;
}

/** One line of a break's history. */
export interface BreakEvent {
  readonly breakId: BreakId;
  readonly at: number;
  readonly actor: string;
  readonly action: 'opened' | 'investigating' | 'resolved';
  readonly reason: string;
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

export function opened(found: Finding, breakId: BreakId, at: number): Break {
  return {
    ...found,
    breakId,
    state: 'open',
    openedAt: at,
    updatedAt: at,

    resolvedAt: null,
    resolvedBy: null,
    resolution: null,
  };
}

/** Whether a finding tells nothing that the open break of its key does not say already. */
export function saysNothingNew(known: Finding | undefined, found: Finding): boolean {
  return (
    known !== undefined &&
    known.expected === found.expected &&
    known.actual === found.actual &&
    known.severity === found.severity &&
    known.detail === found.detail
  );
}

/** The open break after the same difference was found again, perhaps with other figures. */
export function foundAgain(known: Break, found: Finding, at: number): Break {
  return { ...known, ...found, updatedAt: at };
}

export function resolved(known: Break, by: { actor: string; reason: string; at: number }): Break {
  return {
    ...known,
    state: 'resolved',
    updatedAt: by.at,
    resolvedAt: by.at,
    resolvedBy: by.actor,
    resolution: by.reason,
  };
}
