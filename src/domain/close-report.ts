import type { BreakState, BreakType, Severity } from './break.ts';
import type { Category } from './roll-forward.ts';

/**
 * How a day ended. `balanced`: everything ties, and every difference is settled or accepted.
 * `balanced with open differences`: everything ties, and differences are still open
 * (`openDifferences`). `exceptions`: something does not tie, or could not be compared (`exceptions`).
 * Version 1 knows no open differences: it says `balanced` for them too.
 */
export const REPORT_STATUSES = [
  'balanced',
  'balanced with open differences',
  'exceptions',
] as const;
export type ReportStatus = (typeof REPORT_STATUSES)[number];

/** What a time rests on: the block's time, the custody API's record, or the delivery of a webhook. */
export type DatedBy = 'block' | 'custody' | 'delivery';

/**
 * The report of a closed day as it is sealed: `JSON.stringify` of this, members in this order, is
 * what is hashed. Amounts are decimal strings in smallest units, times ISO 8601 in UTC.
 * Members that only version 2 has are optional here: sealed reports of version 1 stay as they are.
 */
export interface DailyReport {
  readonly version: 1 | 2;
  readonly day: string;
  readonly timezone: string;
  /** The cut-off of the day before; null for the first. */
  readonly from: string | null;
  readonly cutOffAt: string;
  readonly closedAt: string;
  readonly status: ReportStatus;
  /** Why the status is `exceptions`; empty otherwise. */
  readonly exceptions: readonly ReportException[];
  /** Totals of the differences that are still open, by asset and side. Version 2. */
  readonly openDifferences?: readonly ReportOpenDifference[];
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
  /**
   * What moved at the custody API between the cut-off and the reading. It is taken off what was read:
   * `custodyRead` − `custodyAfterCutOff` = `custodyClosing`. Version 2.
   */
  readonly custodyAfterCutOff?: readonly ReportAfterCutOff[];
  readonly differences: readonly ReportDifference[];
  readonly inTransit: readonly ReportInTransit[];
  /** Own debits in the books that the custody API had not confirmed at the close. Version 2. */
  readonly unconfirmed?: readonly ReportUnconfirmed[];
  readonly priorDay: readonly PriorDayItem[];
  readonly openBreaks: readonly ReportBreak[];
  /** Breaks opened after the cut-off that explain a difference of this report. Version 2. */
  readonly laterBreaks?: readonly ReportBreak[];
  /** Ages of `openBreaks`. */
  readonly ageing: Readonly<Record<AgeBucket, number>>;
  /** Differences that exemption rules kept from being breaks, by rule; absent where it was not told. */
  readonly exempt?: Readonly<Record<string, number>>;
  /** Names of the vaults in `totals`, by id, as the custody service told them at the close. Version 2. */
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
  /** Their sum: what they move the totals apart by. */
  readonly difference: string;
  /** The sum of their absolute amounts: opposite differences do not hide each other. */
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
  readonly datedBy: DatedBy;
}

/** What an own debit that custody has not confirmed moves in the books. */
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
  /** closing − chainClosing; null where the chain view was never told anything of the vault. */
  readonly chainDifference: string | null;
  /** The part of chainDifference on hashes of which the chain view was told nothing. */
  readonly chainUntold: string;
  /** Custody's figure when it was read; null when custody was not compared. Version 2. */
  readonly custodyRead?: string | null;
  /** The part of custodyRead that moved after the cut-off. Version 2. */
  readonly custodyAfterCutOff?: string | null;
  /**
   * Burned fees of failed transactions, as the chain tells them, that custodyRead counts anew: the
   * custody API lists no amounts of a failed transaction. Version 2.
   */
  readonly custodyBurnedFees?: string | null;
  /** Custody's figure at the cut-off; in version 1 as it was read. Null when not compared. */
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
 * not published its balance changes yet. `chain_not_told`: the chain view was told nothing of the
 * hash. `unexplained`: none of these.
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
  /** The custody's side, or the chain's. */
  readonly expected: string;
  /** Ours. */
  readonly actual: string;
  /** actual − expected. */
  readonly difference: string;
  readonly explanation: ExplanationKind;
  readonly breakId: string | null;
  readonly detail: string;
  /** Whether the chain view was told nothing of the hash; absent where it was. Version 2. */
  readonly untold?: true;
}

export interface ReportInTransit {
  readonly kind: 'internal' | 'change';
  readonly vaultId: string;
  readonly network: string;
  readonly blockchainHash: string;
  readonly asset: string;
  /** As it moves the vault's balance. */
  readonly amount: string;
  /** Which leg is in the books; in version 1 always the credit. Version 2. */
  readonly leg?: 'debit' | 'credit';
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
  /** As it moved the vault's balance; of `reclassified` 0 in version 1. */
  readonly amount: string;
  readonly entryId: number | null;
  readonly eventAt: string | null;
  readonly detail: string;
  /** What `eventAt` rests on; null where it is null. Version 2. */
  readonly datedBy?: DatedBy | null;
  /** Of `reclassified`: where the closed day counted it, and where it counts now. Version 2. */
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
