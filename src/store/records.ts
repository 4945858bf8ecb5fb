import type { Break, BreakEvent, BreakType, Severity } from '../domain/break/break.ts';
import type { CustodyPart } from '../domain/close/hash-facts.ts';
import type { OwnBy } from '../domain/close/own-legs.ts';
import type { DailyReport } from '../domain/close/report.ts';
import type { CloseSignature } from '../domain/close/signature.ts';
import type { CreditItem } from '../domain/deposit/credit.ts';
import type { CreditingPolicy } from '../domain/deposit/policy.ts';
import type { AddressChecks, RunCounts, RunRepairs } from '../domain/fact/custody-record.ts';
import type { Deposit } from '../domain/deposit/deposit.ts';
import type { HashState } from '../domain/hash/hash-state.ts';
import type { Entry } from '../domain/money/entry.ts';
import type { ExemptDifference, ExemptionRule } from '../domain/break/exemption.ts';
import type { FactKind, IntakeStatus } from '../domain/fact/fact.ts';
import type {
  AssetId,
  BlockchainHash,
  BreakId,
  CreditId,
  DepositId,
  NetworkKey,
  TransactionId,
  HashKey,
  VaultId,
} from '../domain/ids.ts';
import type { Movement, MovementKey, MovementAgreement } from '../domain/money/movement.ts';
import type { Notification } from '../domain/fact/notification.ts';
import type { OwnHash } from '../domain/withdrawal/own-hash.ts';
import type { PositionLine } from '../domain/money/roll-forward.ts';
import type { Sighting } from '../domain/hash/sighting.ts';
import type { Withdrawal } from '../domain/withdrawal/withdrawal.ts';

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

/** What is known of a hash. `isStored`: some fact has named it. */
export interface StoredHashState extends HashState {
  readonly isStored: boolean;
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

/** That a store was put back from a backup, when its credit feed had so many items. */
export interface RestoreRow {
  readonly seq: number;
  readonly feedLength: number;
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

/** Exemption rules as they were set; the last row holds. */
export interface ExemptionRulesRow {
  readonly seq: number;
  readonly actor: string;
  readonly rules: readonly ExemptionRule[];
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

export interface FeedItem {
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

export interface Idle<Item> {
  readonly oldest: readonly Item[];
  readonly total: number;
}

/** What each position that moved in a day held at its end, and when the day's entries were posted. */
export interface SealedPositions {
  /** Null where the day has no entry. */
  readonly firstPostedAt: number | null;
  readonly lastPostedAt: number | null;
  /** Ledger account, as the store numbers it, and amount. */
  readonly rows: readonly (readonly [number, string])[];
}

/** What closing a day asks of a store. */
export interface CloseSource {
  /** The last journalled fact. */
  headSeq(): number;
  /** The day closed last; with `compared`, the last one that was compared with custody. */
  last(compared?: 'compared'): DailyCloseRow | undefined;
  of(day: string): DailyCloseRow | undefined;
  /** The closed day that a moment falls into. */
  dayOf(at: number): string | undefined;
  journalRow(seq: number): JournalRow | undefined;
  recordedAt(seq: number): number | undefined;
  /**
   * Hashes with an entry of a fact after `afterSeq`, up to `throughSeq`, and those in `also`, each
   * with all its position lines so far, in the order of entries. `own`: the hash belongs to an own
   * transaction, by the sources that `ownBy` allows.
   */
  hashes(query: {
    afterSeq: number;
    throughSeq: number;
    also: readonly HashKey[];
    ownBy: OwnBy;
  }): Iterable<HashKey & { readonly lines: readonly PositionLine[]; readonly own: boolean }>;
  /** Balances of the positions that facts after `afterSeq`, up to `throughSeq`, changed. */
  positionsAt(span: { afterSeq: number; throughSeq: number }): SealedPositions;
  /** Vaults whose chain view has entries of facts after `afterSeq`, up to `throughSeq`. */
  chainVaults(span: { afterSeq: number; throughSeq: number }): readonly VaultId[];
  /** Whether a closed day has chain entries of a vault. */
  hasChainView(vaultId: VaultId): boolean;
  /**
   * Hashes whose books and chain view may differ after the fact at `seq`, or that burned a fee. The
   * close reads each of them.
   */
  apartHashes(seq: number): readonly HashKey[];
  effectsOfHash(hash: HashKey): readonly CustodyEffectRow[];
  effectsOfTransaction(transactionId: TransactionId): readonly CustodyEffectRow[];
  breaksOfHash(hash: BlockchainHash): readonly Break[];
  break(breakId: BreakId): Break | undefined;
  /** An asset's decimals; undefined before its first sighting. */
  decimals(asset: AssetId): number | undefined;
  /** Exempt differences by key, and the current rules. */
  exemptions(): {
    readonly differences: readonly ExemptDifference[];
    readonly rules: readonly ExemptionRule[];
  };
  /** Breaks that were open after the fact at `seq`, in their state at that time. */
  breaksOpenAt(seq: number): readonly Break[];
  signatures(day: string): readonly SignatureRow[];
}

/** Movements by agreement. `unjudged`: differing, and never compared by a run. */
export type MovementCounts = Readonly<Record<MovementAgreement | 'unjudged', number>>;

/**
 * How far runs have reviewed open breaks and exempt differences; null before the first and after the
 * last.
 */
export interface LookRound {
  readonly breakId: BreakId | null;
  /** Key of an exempt difference. */
  readonly difference: string | null;
}

/**
 * What the rules may ask of a store, answered inside the writer's transaction. Handlers that read
 * lists of records flush first, before they change anything.
 *
 * A store with asynchronous reads answers from a snapshot. When the snapshot lacks an answer, the
 * store stops the batch with an error, loads the answer, and gives the batch to a new bookkeeper.
 * This works because a bookkeeper has no state outside these answers. Evidence and decisions then
 * need a commit of their own.
 */
export interface RecordSource {
  /** The journal position of the fact that took this id. */
  seen(id: string): number | undefined;
  /** The journalled bytes of a fact. */
  body(seq: number): Uint8Array | undefined;
  keptAside(id: string, digest: string): boolean;
  quarantine(quarantineId: string): (QuarantineRow & { readonly body: Uint8Array }) | undefined;
  hashState(network: NetworkKey, hash: BlockchainHash): StoredHashState;
  withdrawal(transactionId: TransactionId): Withdrawal | undefined;
  /** Every hash that a transaction has or had, or that somebody claimed for it. */
  ownHashesOf(transactionId: TransactionId): readonly OwnHash[];
  deposit(depositId: DepositId): Deposit | undefined;
  /** How many items the credit feed has. */
  feedLength(): number;
  depositOfCredit(creditId: CreditId): DepositId | undefined;
  /** The reference that a credit was acknowledged with, active or reversed. */
  acknowledgedAs(creditId: CreditId): string | undefined;
  /** Deposits that a change of policy can affect, in the order of their hashes. */
  depositsToJudge(limit: number): readonly Deposit[];
  movement(key: MovementKey): Movement | undefined;
  /** Differing movements that no run has compared since they changed, at `until` or before; oldest first. */
  movementsToJudge(due: { readonly until: number; readonly limit: number }): readonly Movement[];
  /** Agreeing movements that a run found differing, the oldest first. */
  movementsToHeal(limit: number): readonly Movement[];
  /** See `MovementCounts`. */
  movementCounts(): MovementCounts;
  unresolvedBreak(key: string): Break | undefined;
  unresolvedBreaks(types: readonly BreakType[]): readonly Break[];
  /** Unresolved breaks after one of them: by type, the oldest first. */
  unresolvedBreaksAfter(
    breakId: BreakId | null,
    about: { readonly types: readonly BreakType[]; readonly limit: number },
  ): readonly Break[];
  unresolvedCount(types: readonly BreakType[]): number;
  break(breakId: BreakId): Break | undefined;
  /** Unresolved breaks of these severities, opened at `openedUntil` or before; the oldest first. */
  breaksOpenedUntil(due: {
    readonly severity: Severity;
    readonly originalSeverity: Severity;
    readonly openedUntil: number;
    readonly limit: number;
  }): readonly Break[];
  /**
   * Waiting deposits that have not changed since `until`, sorted by the hour of their last change and
   * then by their first fact, and how many there are in all.
   */
  idleDeposits(until: number, limit: number): Idle<Deposit>;
  /** The same for withdrawals without a final status. */
  idleWithdrawals(until: number, limit: number): Idle<Withdrawal>;
  pinnedDecimals(asset: AssetId): number | undefined;
  policy(): PolicyRow | undefined;
  exemptionRules(): ExemptionRulesRow | undefined;
  exemptDifference(key: string): ExemptDifference | undefined;
  /** Exempt differences by key, after one of them. */
  exemptDifferencesAfter(key: string | null, limit: number): readonly ExemptDifference[];
  /** How many differences of these types each rule exempts. */
  exemptCounts(types: readonly BreakType[]): Readonly<Record<string, number>>;
  lookRound(): LookRound;
  readonly closes: CloseSource;
}

/** A changed deposit and its stored version; `before` is undefined where the deposit is new. */
export interface DepositChange {
  readonly after: Deposit;
  readonly before: Deposit | undefined;
  /** The first fact that changed the deposit in this batch; for a new one, its first fact. */
  readonly seq: number;
}

/** What a transaction writes: records replace those of the same key, the rest is appended. */
export interface Writes {
  /** The last fact that was journalled, in these writes or before. */
  readonly headSeq: number;
  readonly journal: readonly JournalRow[];
  /** New hashes, in the order in which facts named them. Every other row is about a known hash. */
  readonly hashes: readonly HashRow[];
  readonly notifications: readonly NotificationRow[];
  readonly quarantine: readonly QuarantineRow[];
  readonly entries: readonly PostedEntry[];
  readonly sightings: readonly Sighting[];
  readonly deposits: readonly DepositChange[];
  readonly withdrawals: readonly Withdrawal[];
  readonly ownHashes: readonly OwnHash[];
  readonly movements: readonly Movement[];
  readonly movementCounts: ReadonlyMap<keyof MovementCounts, number>;
  readonly assets: ReadonlyMap<AssetId, number>;
  readonly feed: readonly FeedItem[];
  readonly acknowledgements: readonly AcknowledgementRow[];
  readonly breaks: readonly Break[];
  readonly breakEvents: readonly StoredBreakEvent[];
  readonly reconciliations: readonly ReconciliationRow[];
  readonly policies: readonly PolicyRow[];
  readonly decimalsCorrections: readonly DecimalsCorrectionRow[];
  readonly restores: readonly RestoreRow[];
  readonly exemptionRules: readonly ExemptionRulesRow[];
  /** By key; null where a difference is no longer exempt. */
  readonly exemptDifferences: ReadonlyMap<string, ExemptDifference | null>;
  readonly closes: readonly {
    readonly row: DailyCloseRow;
    readonly totals: DailyReport['totals'];
    readonly positions: SealedPositions;
  }[];
  readonly custodyEffects: readonly CustodyEffectRow[];
  readonly signatures: readonly SignatureRow[];
  /** Where the round has come to; null where it has not moved. */
  readonly lookRound: LookRound | null;
  readonly intakeCounts: ReadonlyMap<DeliveryOutcome, number>;
}
