import type { IssuedToken } from '../domain/access/token.ts';
import type { BreakEvent } from '../domain/break/break.ts';
import type { CustodyPart } from '../domain/close/hash-facts.ts';
import type { DailyReport } from '../domain/close/report.ts';
import type { CloseSignature } from '../domain/close/signature.ts';
import type { CreditItem } from '../domain/deposit/credit.ts';
import type { FeedRestore } from '../domain/deposit/feed-cursor.ts';
import type { CreditingPolicy } from '../domain/policy/policy.ts';
import type { AddressChecks, RunCounts, RunRepairs } from '../domain/fact/custody-record.ts';
import type { Entry } from '../domain/money/entry.ts';
import type { HeldExemption } from '../domain/break/held-exemptions.ts';
import type { FactKind, IntakeStatus } from '../domain/fact/fact.ts';
import type { AssetId, BreakId, CreditId, HashKey } from '../domain/ids.ts';
import type { MovementAgreement } from '../domain/money/movement.ts';
import type { Notification } from '../domain/fact/notification.ts';

/** A line of a break's history, with the fact that brought it. */
export type StoredBreakEvent = BreakEvent & { readonly seq: number };

/** A fact as it is journalled: bytes, and how they were read. */
export interface JournalRow {
  readonly seq: number;
  readonly kind: FactKind;
  readonly recordedAt: number;
  readonly detail: string | null;
  readonly body: Uint8Array;
}

/** A blockchain hash, and the fact that named it first. */
export interface HashRow extends HashKey {
  readonly seq: number;
}

/** The first notification of an id. */
export interface NotificationRow {
  readonly seq: number;
  readonly id: string;
  readonly status: IntakeStatus;
  /** Null when it was not understood. */
  readonly notification: Notification | null;
  readonly receivedAt: number;
}

/** That a store was put back from a backup, and where the feed's next history begins. */
export interface RestoreRow extends FeedRestore {
  readonly seq: number;
  readonly restoredAt: number;
}

export interface QuarantineRow {
  readonly quarantineId: string;
  readonly seq: number;
  readonly notificationId: string;
  readonly digest: string;
  readonly defect: string;
  readonly state: 'kept' | 'retried';
  readonly receivedAt: number;
  readonly retriedAt: number | null;
}

/** A change of a token that was made at run time: the token from then on. */
export interface TokenChangeRow extends IssuedToken {
  readonly seq: number;
  readonly actor: string;
  readonly reason: string;
  readonly changedAt: number;
}

/** A correction of an asset's decimals by a person. */
export interface DecimalsCorrectionRow {
  readonly seq: number;
  readonly asset: AssetId;
  readonly before: number;
  readonly after: number;
  readonly actor: string;
  readonly reason: string;
  readonly correctedAt: number;
}

export interface PolicyRow {
  readonly seq: number;
  readonly source: 'config' | 'api';
  readonly actor: string;
  readonly reason: string;
  /** What holds since. */
  readonly policy: CreditingPolicy;
  /** What the configuration said, where the policy came from there; else null. */
  readonly configured: CreditingPolicy | null;
  readonly setAt: number;
}

/** All exemption rules after a change by the configuration or a person; the last row holds. */
export interface ExemptionRulesRow {
  readonly seq: number;
  readonly actor: string;
  readonly rules: readonly HeldExemption[];
  readonly setAt: number;
}

export interface ReconciliationRow extends RunCounts {
  readonly seq: number;
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly requests: number;
  readonly watermark: number | null;
  readonly incomplete: string | null;
  readonly addresses: AddressChecks | null;
  readonly repairs: RunRepairs;
}

/** A closed day, without the text of its report, which can be many megabytes. */
export interface ClosedDayRow {
  readonly day: string;
  readonly seq: number;
  readonly timezone: string;
  readonly cutOffAt: number;
  readonly closedAt: number;
  readonly throughSeq: number;
  readonly commitNumber: number;
  /** Hash of the commit that seals the day's last fact, hex. */
  readonly sealHash: string;
  readonly status: DailyReport['status'];
  readonly custodyCompared: boolean;
  /** SHA-256 of the report's text, hex. */
  readonly reportHash: string;
  /** The hash of the day closed before; null for the first. */
  readonly previousReportHash: string | null;
}

/** A closed day with its sealed report. */
export interface DailyCloseRow extends ClosedDayRow {
  /** The report as JSON: the text that `reportHash` is the hash of. */
  readonly report: string;
}

/** What one asset of a transaction at the custody API counts for; zero takes it away. */
export interface CustodyEffectRow extends CustodyPart, HashKey {}

export interface SignatureRow extends CloseSignature {
  readonly day: string;
  readonly seq: number;
}

export interface PostedEntry {
  readonly entry: Entry;
  readonly seq: number;
  readonly postedAt: number;
}

export interface FeedRow {
  readonly item: CreditItem;
  readonly seq: number;
  readonly createdAt: number;
}

/** What a consumer booked a credit as. */
export interface AcknowledgementRow {
  readonly creditId: CreditId;
  readonly seq: number;
  readonly reference: string;
  readonly at: number;
}

export type DeliveryOutcome = IntakeStatus | 'refused';

/** Movements by agreement. `uncompared`: differing, and never compared by a run. */
export type MovementCounts = Readonly<Record<MovementAgreement | 'uncompared', number>>;

/**
 * How far runs have reviewed open breaks and exempt differences; null before the first and after the
 * last.
 */
export interface ReviewCursor {
  readonly breakId: BreakId | null;
  /** Key of an exempt difference. */
  readonly difference: string | null;
}
