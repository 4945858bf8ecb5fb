import type { BreakState, BreakType, Severity } from '../break/break.ts';
import type { Category } from '../money/roll-forward.ts';
import type { CustodyDatedBy } from './record.ts';

/**
 * How a day ended.
 *
 * | status | is |
 * |---|---|
 * | `balanced` | everything ties, and every difference is explained finally or accepted |
 * | `balanced with open differences` | everything ties, and differences are open (`openDifferences`) |
 * | `exceptions` | something does not tie, or could not be compared (`exceptions`) |
 *
 * Version 1 knows no open differences and says `balanced` for them too.
 */
export const REPORT_STATUSES = [
  'balanced',
  'balanced with open differences',
  'exceptions',
] as const;
export type ReportStatus = (typeof REPORT_STATUSES)[number];

/** The source of a time: the block, the custody API's record, or a webhook's delivery. */
export type DatedBy = 'block' | 'custody' | 'delivery';

/**
 * The sealed report of a closed day. The hash covers `JSON.stringify` of it, members in this order.
 * Amounts are decimal strings in smallest units, times ISO 8601 in UTC. Members of version 2 are
 * optional here: sealed reports of version 1 do not change.
 */
export interface DailyReport {
  readonly version: 1 | 2;
  readonly day: string;
  readonly timezone: string;
  /** The previous day's cut-off; null for the first day. */
  readonly from: string | null;
  readonly cutOffAt: string;
  readonly closedAt: string;
  readonly status: ReportStatus;
  /** Why the status is `exceptions`; otherwise empty. */
  readonly exceptions: readonly ReportException[];
  /** Totals of the open differences, by asset and side. Version 2. */
  readonly openDifferences?: readonly ReportOpenDifference[];
  readonly journal: {
    /** The day's facts are after `afterSeq`, up to and including `throughSeq`. */
    readonly afterSeq: number;
    readonly throughSeq: number;
    readonly commitNumber: number;
    readonly sealHash: string;
  };
  readonly previous: { readonly day: string; readonly reportHash: string } | null;
  readonly totals: readonly ReportTotal[];
  readonly custody: ReportCustody;
  /**
   * Movements at the custody API between the cut-off and the reading. They are subtracted:
   * `custodyRead` − `custodyAfterCutOff` = `custodyClosing`. Version 2.
   */
  readonly custodyAfterCutOff?: readonly ReportAfterCutOff[];
  readonly differences: readonly ReportDifference[];
  readonly inTransit: readonly ReportInTransit[];
  /** Own debits in the books that the custody API had not confirmed at the close. Version 2. */
  readonly unconfirmed?: readonly ReportUnconfirmed[];
  readonly priorDay: readonly PriorDayItem[];
  readonly openBreaks: readonly ReportBreak[];
  /** Breaks that opened after the cut-off and explain a difference of this report. Version 2. */
  readonly laterBreaks?: readonly ReportBreak[];
  /** Ages of `openBreaks`. */
  readonly ageing: Readonly<Record<AgeBucket, number>>;
  /** Counts of exempt differences, by rule; absent when unknown. */
  readonly exempt?: Readonly<Record<string, number>>;
  /** Names of the vaults in `totals`, by id, from the custody service at the close. Version 2. */
  readonly vaultNames?: Readonly<Record<string, string>>;
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

/** Open differences of one asset with one side, over all vaults. */
export interface ReportOpenDifference {
  readonly against: 'custody' | 'chain';
  readonly asset: string;
  readonly count: number;
  /** Their sum: the totals differ by this amount. */
  readonly difference: string;
  /** The sum of their absolute amounts: opposite differences do not cancel. */
  readonly absolute: string;
}

/** What one transaction moved at the custody API after the cut-off. */
export interface ReportAfterCutOff {
  readonly vaultId: string;
  readonly network: string;
  readonly blockchainHash: string;
  readonly transactionId: string;
  readonly asset: string;
  readonly amount: string;
  readonly at: string;
  readonly datedBy: CustodyDatedBy;
}

/** The amount of an own debit that the custody API has not confirmed. */
export interface ReportUnconfirmed {
  readonly vaultId: string;
  readonly network: string;
  readonly blockchainHash: string;
  readonly asset: string;
  readonly amount: string;
}

/**
 * One vault and asset: opening + deposits − withdrawals − fees + rebates + mints + internal +
 * change + adjustments = closing.
 */
export interface ReportTotal {
  readonly vaultId: string;
  readonly asset: string;
  /** The asset's pinned decimals, or null. */
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
  /** closing − chainClosing; null when the vault never had a chain view. */
  readonly chainDifference: string | null;
  /** The part of chainDifference on hashes without a chain view. */
  readonly chainUntold: string;
  /** Custody's figure at the reading; null when custody was not compared. Version 2. */
  readonly custodyRead?: string | null;
  /** The part of custodyRead after the cut-off. Version 2. */
  readonly custodyAfterCutOff?: string | null;
  /**
   * Burned fees of failed transactions, from the chain, that custodyRead includes: the custody API
   * lists no amounts of a failed transaction. Version 2.
   */
  readonly custodyBurnedFees?: string | null;
  /** Custody's figure at the cut-off; in version 1 at the reading. Null when not compared. */
  readonly custodyClosing: string | null;
  /** closing − custodyClosing. */
  readonly custodyDifference: string | null;
}

/** The reason of a report without figures of custody where no custody API is configured. */
export const CUSTODY_NOT_CONFIGURED = 'custody is not configured';

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
 *
 * | explanation | is |
 * |---|---|
 * | `timing` | both sides agree at the close, or the other side moved after the cut-off |
 * | `in_grace` | moved so near the cut-off that the other side may follow |
 * | `break` | an open break concerns it |
 * | `resolved_break` | a person resolved its break, with a reason |
 * | `exempt` | an exemption rule covers it, and had not ended at the cut-off |
 * | `suspense` | a person booked it to suspense |
 * | `burned_fee` | the fee of a failed transaction, which the custody API's list omits |
 * | `custody_pending` | the API has not published its balance changes yet |
 * | `chain_not_told` | the hash has no chain view |
 * | `unexplained` | none of these |
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
  | 'chain_not_told'
  | 'unexplained';

export interface ReportDifference {
  readonly against: 'custody' | 'chain';
  readonly vaultId: string;
  readonly network: string;
  readonly blockchainHash: string;
  readonly asset: string;
  /** The custody API's side, or the chain's. */
  readonly expected: string;
  /** Ours. */
  readonly actual: string;
  /** actual − expected. */
  readonly difference: string;
  readonly explanation: ExplanationKind;
  readonly breakId: string | null;
  readonly detail: string;
  /** Whether the hash has no chain view; absent when it has one. Version 2. */
  readonly untold?: true;
}

export interface ReportInTransit {
  readonly kind: 'internal' | 'change';
  readonly vaultId: string;
  readonly network: string;
  readonly blockchainHash: string;
  readonly asset: string;
  /** Signed as it moves the vault's balance. */
  readonly amount: string;
  /** The leg that is in the books; in version 1 always the credit. Version 2. */
  readonly leg?: 'debit' | 'credit';
}

/**
 * A movement that this day counts and that belongs to a closed day.
 *
 * | reason | is |
 * |---|---|
 * | `late_event` | its event happened before the last cut-off |
 * | `recorded_late` | its fact has an earlier time |
 * | `reversal` | it reverses an entry of a closed day, or posts it again |
 * | `suspense` | it books an older movement |
 * | `reclassified` | a closed day's movement now belongs to another category |
 * | `custody_late` | custody showed it too late for its day's close; the custody figures count it now |
 */
export interface PriorDayItem {
  readonly reason:
    'late_event' | 'recorded_late' | 'reversal' | 'suspense' | 'reclassified' | 'custody_late';
  /** The closed day that it belongs to. */
  readonly day: string;
  readonly vaultId: string;
  readonly network: string;
  readonly blockchainHash: string;
  readonly asset: string;
  /** Signed as it moved the vault's balance; 0 for `reclassified` in version 1. */
  readonly amount: string;
  readonly entryId: number | null;
  readonly eventAt: string | null;
  readonly detail: string;
  /** The source of `eventAt`; null when that is null. Version 2. */
  readonly datedBy?: DatedBy | null;
  /** For `reclassified`: the closed day's category, and the current one. Version 2. */
  readonly from?: Category;
  readonly to?: Category;
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
