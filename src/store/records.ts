import type { Break, BreakEvent, BreakType, Severity } from '../domain/break.ts';
import type { CustodyPart } from '../domain/close/hash-facts.ts';
import type { OwnBy } from '../domain/close/own-word.ts';
import type { DailyReport } from '../domain/close-report.ts';
import type { CloseSignature } from '../domain/close-signature.ts';
import type { CreditItem } from '../domain/credit.ts';
import type { CreditingPolicy } from '../domain/crediting.ts';
import type { AddressChecks, RunCounts, RunRepairs } from '../domain/custody.ts';
import type { Deposit } from '../domain/deposit.ts';
import type { Dossier } from '../domain/dossier.ts';
import type { Entry } from '../domain/entry.ts';
import type { ExemptDifference, ExemptionRule } from '../domain/exemption.ts';
import type { FactKind, IntakeStatus } from '../domain/fact.ts';
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
import type { Movement, MovementKey, MovementStanding } from '../domain/movement.ts';
import type { Notification } from '../domain/notification.ts';
import type { OwnHash } from '../domain/own-hash.ts';
import type { PositionLine } from '../domain/roll-forward.ts';
import type { Sighting } from '../domain/sighting.ts';
import type { Withdrawal } from '../domain/withdrawal.ts';
import type { PackedBody } from './body-block.ts';

/** A fact as it is journalled: bytes, and how they were read. */
export interface JournalRow {
  readonly seq: number;
  readonly kind: FactKind;
  readonly recordedAt: number;
  readonly detail: string | null;
  readonly body: Uint8Array;
  /** Where the body is packed already. */
  readonly packed?: PackedBody | undefined;
}

/** A blockchain hash as the store numbers it, and the fact that told of it first. */
export interface HashRow extends HashKey {
  readonly hashId: number;
}

/** What is known of a hash; without a number when nothing is. */
export interface StoredDossier extends Dossier {
  readonly hashId: number | undefined;
}

/** The first notification of an id. */
export interface NotificationRow {
  readonly seq: number;
  readonly id: string;
  readonly status: IntakeStatus;
  /** Null when it was not understood. */
  readonly notification: Notification | null;
  /** The number of its hash; null where it names none. */
  readonly hashId: number | null;
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
  /** Ledger account and amount. */
  readonly rows: readonly (readonly [number, string])[];
}

/** What the writer has touched after a fact that closing a day looks at. */
export interface Touched {
  readonly afterSeq: number;
  /** Hashes of own transactions, and those of other hashes that their sightings tell of. */
  readonly own: readonly (HashKey & { readonly hashId: number })[];
  /** Breaks, with the hash that each is about now: found again, it can be about another one. */
  readonly breaks: readonly Pick<Break, 'breakId' | 'subject'>[];
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
   * Hashes with an entry of a fact after `afterSeq`, up to `throughSeq`, and the others named, each
   * with every position line that it has by now, in the order of entries. `own`: it is an own
   * transaction's, by whoever `ownBy` names.
   */
  hashes(query: {
    afterSeq: number;
    throughSeq: number;
    also: readonly HashKey[];
    ownBy: OwnBy;
  }): Iterable<HashKey & { readonly lines: readonly PositionLine[]; readonly own: boolean }>;
  /** Hashes with an entry of a later fact. */
  postedAfter(seq: number): readonly HashKey[];
  /** What the facts after `afterSeq`, up to `throughSeq`, left on the positions that they moved. */
  positionsAt(span: { afterSeq: number; throughSeq: number }): SealedPositions;
  /** Vaults that the chain view was told of by the facts after `afterSeq`, up to `throughSeq`. */
  chainVaults(span: { afterSeq: number; throughSeq: number }): readonly VaultId[];
  /** Whether a closed day's chain view was told anything of a vault. */
  wasChainTold(vaultId: VaultId): boolean;
  /**
   * Hashes of which books and chain view may differ after the fact at `seq`, or burned a fee: every
   * one is read.
   */
  apartHashes(seq: number): readonly HashKey[];
  effectsOfHash(hash: HashKey): readonly CustodyEffectRow[];
  effectsOfTransaction(transactionId: TransactionId): readonly CustodyEffectRow[];
  breaksOfHash(hash: BlockchainHash): readonly Break[];
  /** What is exempt, by key, and the rules that were set last. */
  exemptions(): {
    readonly differences: readonly ExemptDifference[];
    readonly rules: readonly ExemptionRule[];
  };
  /** Breaks that were open when the fact at `seq` had been taken, in the state of then. */
  breaksOpenAt(seq: number): readonly Break[];
  signatures(day: string): readonly SignatureRow[];
}

/** How many movements stand how. `unjudged`: at odds, and never judged by a run. */
export type MovementCounts = Readonly<Record<MovementStanding | 'unjudged', number>>;

/**
 * Where runs have come to in looking again at what is open and what is exempt; null before the first
 * and after the last.
 */
export interface LookRound {
  readonly breakId: BreakId | null;
  /** Key of an exempt difference. */
  readonly difference: string | null;
}

/** What the rules may ask of a store, answered inside the writer's transaction. */
export interface RecordSource {
  /** The place of the fact that took this id. */
  seen(id: string): number | undefined;
  /** The journalled bytes of a fact. */
  body(seq: number): Uint8Array | undefined;
  keptAside(id: string, digest: string): boolean;
  quarantine(quarantineId: string): (QuarantineRow & { readonly body: Uint8Array }) | undefined;
  dossier(network: NetworkKey, hash: BlockchainHash): StoredDossier;
  withdrawal(transactionId: TransactionId): Withdrawal | undefined;
  /** Every hash that a transaction has or is said to have. */
  ownHashesOf(transactionId: TransactionId): readonly OwnHash[];
  deposit(depositId: DepositId): Deposit | undefined;
  /** How many items the credit feed has. */
  feedLength(): number;
  depositOfCredit(creditId: CreditId): DepositId | undefined;
  /** The reference that a credit was acknowledged with, standing or reversed. */
  acknowledgedAs(creditId: CreditId): string | undefined;
  /** Deposits that a change of policy can move, in the order of their hashes. */
  depositsToJudge(limit: number): readonly Deposit[];
  movement(key: MovementKey): Movement | undefined;
  /** Movements at odds that no run has judged as they are, changed until then; the oldest first. */
  movementsToJudge(due: { readonly until: number; readonly limit: number }): readonly Movement[];
  /** Movements that agree and that a run has judged otherwise, the oldest first. */
  movementsToHeal(limit: number): readonly Movement[];
  /** By standing. `unjudged`: at odds, and never judged. */
  movementCounts(): MovementCounts;
  unresolvedBreak(key: string): Break | undefined;
  unresolvedBreaks(types: readonly BreakType[]): readonly Break[];
  /** Unresolved breaks, type by type and the oldest of each first, after one of them. */
  unresolvedBreaksAfter(
    breakId: BreakId | null,
    about: { readonly types: readonly BreakType[]; readonly limit: number },
  ): readonly Break[];
  unresolvedCount(types: readonly BreakType[]): number;
  break(breakId: BreakId): Break | undefined;
  /** Unresolved breaks of these severities, opened until then; the oldest first. */
  breaksOpenedUntil(due: {
    readonly severity: Severity;
    readonly originalSeverity: Severity;
    readonly openedUntil: number;
    readonly limit: number;
  }): readonly Break[];
  /**
   * Deposits that wait and have not moved since `until`: the longest waiting, to the hour, and within
   * one those that were told of first; and how many in all.
   */
  idleDeposits(until: number, limit: number): Idle<Deposit>;
  /** The same of withdrawals without a final status. */
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
  /** Undefined where it is not known so far back. */
  touchedAfter(seq: number): Touched | undefined;
}

/** What is kept by hash: a record as it is to be, and as the store has it; undefined where it is new. */
export interface Change<Item> {
  readonly after: Item;
  readonly before: Item | undefined;
  readonly hashId: number;
}

/** What a transaction writes: records replace those of the same key, the rest is appended. */
export interface Writes {
  /** The last fact that was journalled, in these writes or before. */
  readonly headSeq: number;
  readonly journal: readonly JournalRow[];
  readonly hashes: readonly HashRow[];
  /** The number of a hash that some of these rows are about. */
  readonly hashIdOf: (key: HashKey) => number;
  readonly notifications: readonly NotificationRow[];
  readonly quarantine: readonly QuarantineRow[];
  readonly entries: readonly PostedEntry[];
  readonly sightings: readonly Change<Sighting>[];
  /** `seq`: the fact that changed it first; of a new one, the fact that told of it. */
  readonly deposits: readonly (Change<Deposit> & { readonly seq: number })[];
  readonly withdrawals: readonly Withdrawal[];
  readonly ownHashes: readonly OwnHash[];
  readonly movements: readonly Movement[];
  readonly movementCounts: ReadonlyMap<keyof MovementCounts, number>;
  readonly assets: ReadonlyMap<AssetId, number>;
  readonly feed: readonly FeedItem[];
  readonly acknowledgements: readonly AcknowledgementRow[];
  readonly breaks: readonly Break[];
  readonly breakEvents: readonly (BreakEvent & { readonly seq: number })[];
  readonly reconciliations: readonly ReconciliationRow[];
  readonly policies: readonly PolicyRow[];
  readonly decimalsCorrections: readonly DecimalsCorrectionRow[];
  readonly restores: readonly RestoreRow[];
  readonly exemptionRules: readonly ExemptionRulesRow[];
  /** By key; null where one is exempt no more. */
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
