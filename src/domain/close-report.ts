import type { BreakState, BreakType, Severity } from './break.ts';

/**
 * The report of a closed day as it is sealed: `JSON.stringify` of this, members in this order, is
 * what is hashed. Amounts are decimal strings in smallest units, times ISO 8601 in UTC.
 */
export interface DailyReport {
  readonly version: 1;
  readonly day: string;
  readonly timezone: string;
  /** The cut-off of the day before; null for the first. */
  readonly from: string | null;
  readonly cutOffAt: string;
  readonly closedAt: string;
  readonly status: 'balanced' | 'exceptions';
  /** Why it is not balanced; empty when it is. */
  readonly exceptions: readonly ReportException[];
  readonly journal: {
    /** The day's facts are those after `afterSeq`, up to and including `throughSeq`. */
    readonly afterSeq: number;
    readonly throughSeq: number;
    readonly commitNumber: number;
    readonly sealHash: string;
  };
  readonly previous: { readonly day: string; readonly reportHash: string } | null;
  readonly totals: readonly ReportTotal[];
  readonly custody: ReportCustody;
  readonly differences: readonly ReportDifference[];
  readonly inTransit: readonly ReportInTransit[];
  readonly priorDay: readonly PriorDayItem[];
  readonly openBreaks: readonly ReportBreak[];
  readonly ageing: Readonly<Record<AgeBucket, number>>;
  /** Differences that exemption rules kept from being breaks, by rule; absent where it was not told. */
  readonly exempt?: Readonly<Record<string, number>>;
}

export interface ReportException {
  readonly kind:
    | 'identity'
    | 'custody_not_compared'
    | 'custody_rows_unreadable'
    | 'chain_not_compared'
    | 'unexplained_difference';
  readonly detail: string;
}

/**
 * One vault and asset: opening + deposits − withdrawals − fees + rebates + mints + internal +
 * change + adjustments = closing.
 */
export interface ReportTotal {
  readonly vaultId: string;
  readonly asset: string;
  /** Decimals of the asset where they are pinned. */
  readonly decimals: number | null;
  readonly opening: string;
  readonly deposits: string;
  readonly withdrawals: string;
  readonly fees: string;
  readonly rebates: string;
  readonly mints: string;
  readonly internal: string;
  readonly change: string;
  readonly adjustments: string;
  readonly closing: string;
  readonly chainClosing: string;
  /** closing − chainClosing. */
  readonly chainDifference: string;
  /** The part of chainDifference on hashes of which the chain view was told nothing. */
  readonly chainUntold: string;
  /** Null when custody was not compared. */
  readonly custodyClosing: string | null;
  /** closing − custodyClosing. */
  readonly custodyDifference: string | null;
}

export type ReportCustody =
  | {
      readonly compared: true;
      readonly readAt: string;
      readonly transactions: number;
      readonly changed: number;
      readonly unreadable: number;
      readonly requests: number;
      readonly watermark: string | null;
    }
  | { readonly compared: false; readonly reason: string };

/**
 * How a difference is explained.
 * `timing`: both sides agree by the time of the close, or the other side moved after the cut-off.
 * `in_grace`: booked so shortly before the cut-off that the other side may still follow.
 * `break`: an open break is about it. `resolved_break`: a person resolved its break, with a reason.
 * `exempt`: no break is open about it because an exemption rule, which had not ended at the cut-off,
 * is about such a difference. `suspense`: a person booked it to suspense. `burned_fee`: the fee of a
 * failed transaction, of which the custody API's list tells nothing. `custody_pending`: the API has
 * not published its balance changes yet. `unexplained`: none of these.
 */
export type ExplanationKind =
  | 'timing'
  | 'in_grace'
  | 'break'
  | 'resolved_break'
  | 'exempt'
  | 'suspense'
  | 'burned_fee'
  | 'custody_pending'
  | 'unexplained';

export interface ReportDifference {
  readonly against: 'custody' | 'chain';
  readonly vaultId: string;
  readonly network: string;
  readonly blockchainHash: string;
  readonly asset: string;
  /** The custody's side, or the chain's. */
  readonly expected: string;
  /** Ours. */
  readonly actual: string;
  /** actual − expected. */
  readonly difference: string;
  readonly explanation: ExplanationKind;
  readonly breakId: string | null;
  readonly detail: string;
}

export interface ReportInTransit {
  readonly kind: 'internal' | 'change';
  readonly vaultId: string;
  readonly network: string;
  readonly blockchainHash: string;
  readonly asset: string;
  readonly amount: string;
}

/**
 * A movement counted in this day that belongs to a closed one.
 * `late_event`: its event happened before the last cut-off. `recorded_late`: its fact bears an
 * earlier time. `reversal`: it takes back an entry of a closed day, or restates it. `suspense`: it
 * books an older movement. `reclassified`: a closed day's movement belongs to another category now.
 */
export interface PriorDayItem {
  readonly reason: 'late_event' | 'recorded_late' | 'reversal' | 'suspense' | 'reclassified';
  /** The closed day that it belongs to. */
  readonly day: string;
  readonly vaultId: string;
  readonly network: string;
  readonly blockchainHash: string;
  readonly asset: string;
  readonly amount: string;
  readonly entryId: number | null;
  readonly eventAt: string | null;
  readonly detail: string;
}

export interface ReportBreak {
  readonly breakId: string;
  readonly type: BreakType;
  readonly severity: Severity;
  readonly state: BreakState;
  readonly vaultId: string | null;
  readonly network: string | null;
  readonly blockchainHash: string | null;
  readonly asset: string | null;
  readonly transactionId: string | null;
  readonly depositId: string | null;
  readonly expected: string | null;
  readonly actual: string | null;
  readonly difference: string | null;
  readonly detail: string;
  readonly openedAt: string;
  /** Age at the cut-off. */
  readonly ageSeconds: number;
}

/** How long breaks had been open at the cut-off. */
export type AgeBucket = 'under1Day' | 'under7Days' | 'under30Days' | 'over30Days';
