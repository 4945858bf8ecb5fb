/*
 * What a store must do.
 *
 * - Writing: `Ledger` commits facts. The bookkeeper (`bookkeeping/`) asks `RecordSource` what is
 *   known, and a day's close asks `CloseSource`. The result is one `Writes` per transaction.
 * - Reading for people and for the reconciler: `Reads` in reads.ts. Its arguments are in queries.ts,
 *   its results in answers.ts, statement.ts, day-movement.ts and page.ts.
 * - Rows that are written and read: records.ts. Errors: `StoreFailed` and `ReadRefused` beside their
 *   interfaces, `StoreRefused` in refusal.ts.
 * - A journal that several receivers share is a port of its own: replicated/shared-journal.ts.
 */

import type { Break, BreakType, Severity } from '../domain/break/break.ts';
import type { ExemptDifference, ExemptionRule } from '../domain/break/exemption.ts';
import type { OwnEvidence } from '../domain/close/hash-origin.ts';
import type { DailyReport } from '../domain/close/report.ts';
import type { Deposit } from '../domain/deposit/deposit.ts';
import type { Refusal } from '../domain/fact/decision.ts';
import type { Fact, IntakeStatus } from '../domain/fact/fact.ts';
import type { Notification } from '../domain/fact/notification.ts';
import type { HashState } from '../domain/hash/hash-state.ts';
import type { Sighting } from '../domain/hash/sighting.ts';
import type {
  AssetId,
  BlockchainHash,
  BreakId,
  CreditId,
  DepositId,
  HashKey,
  NetworkKey,
  TransactionId,
  VaultId,
} from '../domain/ids.ts';
import type { Amount } from '../domain/money/amount.ts';
import type { LedgerAccount } from '../domain/money/entry.ts';
import type { Movement, MovementKey } from '../domain/money/movement.ts';
import type { SuspenseEntry } from '../domain/money/suspense.ts';
import type { PositionLine } from '../domain/money/roll-forward.ts';
import type { OwnHash } from '../domain/withdrawal/own-hash.ts';
import type { Withdrawal } from '../domain/withdrawal/withdrawal.ts';
import type { Oldest } from './answers.ts';
import type { CommitNews } from './commit-news.ts';
import type {
  AcknowledgementRow,
  CustodyEffectRow,
  DailyCloseRow,
  DecimalsCorrectionRow,
  DeliveryOutcome,
  ExemptionRulesRow,
  FeedRow,
  HashRow,
  JournalRow,
  ReviewCursor,
  MovementCounts,
  NotificationRow,
  PolicyRow,
  PostedEntry,
  QuarantineRow,
  ReconciliationRow,
  RestoreRow,
  SignatureRow,
  StoredBreakEvent,
  TokenChangeRow,
} from './records.ts';

/** What became of a fact. */
export type FactOutcome =
  /** What was delivered: journalled, or a repeat that was only counted. */
  | { readonly kind: 'delivery'; readonly status: IntakeStatus | 'refused' }
  /** Evidence or a decision that changed something; journalled at `seq`. */
  | { readonly kind: 'taken'; readonly seq: number; readonly status?: IntakeStatus }
  /** Evidence or a decision that changes nothing any more; not journalled. */
  | { readonly kind: 'unchanged' }
  /** A decision that the rules refuse; not journalled. */
  | { readonly kind: 'not_taken'; readonly refusal: Refusal };

/**
 * The store cannot write now (full disk, I/O error, lock), or a shared journal did not confirm the
 * write. `effect`: `none` when certainly nothing was kept; `unknown` when it may have been, so that only
 * a fact whose repeat the books recognise may be repeated.
 */
export interface Unavailable {
  readonly kind: 'unavailable';
  readonly effect: 'none' | 'unknown';
  readonly cause: string;
}

/** What became of a submitted fact. `busy`: nothing was kept, try again. */
export type Submitted = FactOutcome | { readonly kind: 'busy' } | Unavailable;

/** `news`: what the commit changed that the verifier waits for, where it did. */
export type CommitResult =
  | {
      readonly kind: 'committed';
      readonly outcomes: readonly FactOutcome[];
      readonly news?: CommitNews | undefined;
    }
  | Unavailable;

/**
 * The store failed while a rule was reading. The failure says nothing about the fact at hand, so the
 * fact is not quarantined. `cause`: the store's own error.
 */
export class StoreFailed extends Error {
  override readonly name = 'StoreFailed';

  constructor(cause: unknown) {
    super('the store failed while a rule was reading', { cause });
  }
}

/**
 * The writing side of a store. One commit is one transaction and one fsync: `committed` means that
 * the facts' bytes and their whole effect are durable. A failure of the disk or the connection is
 * `unavailable`. A rejection is a bug, and nothing was kept.
 *
 * Entries, breaks and quarantined bodies get their ids before the commit, from the fact's journal
 * position: the last position + 1 (`IdMint`, `quarantineIdOf`). The ids of deposits and credits are
 * digests of their content. A store that several processes write must give the position under a lock,
 * and take the facts again when the commit fails.
 *
 * Values that the writer caches between commits: balances (absolute), ids of ledger accounts, pinned
 * decimals, the policy and the exemption rules. Such a store must read them again in each commit.
 */
export interface Ledger {
  commit(facts: readonly Fact[]): Promise<CommitResult>;
}

/** How a raw body reads; needed to retry what was quarantined and to replay the journal. */
export type DecodeBody = (raw: Uint8Array) => DecodedBody;

/**
 * How the bytes of a delivery read. `malformed`: not a notification at all (400). `quarantined`: a
 * JSON object with an id that this version cannot understand; kept aside so that it never blocks
 * its vault's queue.
 */
export type DecodedBody =
  | { readonly kind: 'notification'; readonly notification: Notification }
  | { readonly kind: 'quarantined'; readonly id: string; readonly defect: string }
  | { readonly kind: 'malformed'; readonly defect: string };

/** What is known of a hash. `isStored`: some fact has named it. */
export interface StoredHashState extends HashState {
  readonly isStored: boolean;
}

/**
 * What the rules may ask of a store, answered inside the writer's transaction. Handlers that read
 * lists of records flush first, before they change anything.
 *
 * A store with asynchronous reads answers from a snapshot. When the snapshot lacks an answer, the
 * store stops the batch with an error, loads the answer, and gives the batch to a new bookkeeper.
 * This works because a bookkeeper has no state outside these answers. Evidence and decisions then
 * need a commit of their own. Times are Unix milliseconds.
 */
export interface RecordSource {
  /** The journal position of the fact that took this id. */
  seen(id: string): number | undefined;
  /** The journalled bytes of a fact. */
  body(seq: number): Uint8Array | undefined;
  /** Whether a body with this notification id and digest was ever quarantined. */
  keptAside(id: string, digest: string): boolean;
  /** A quarantined body and its row. */
  quarantine(quarantineId: string): (QuarantineRow & { readonly body: Uint8Array }) | undefined;
  hashState(network: NetworkKey, hash: BlockchainHash): StoredHashState;
  withdrawal(transactionId: TransactionId): Withdrawal | undefined;
  /** Every hash that a transaction has or had, or that somebody claimed for it. */
  ownHashesOf(transactionId: TransactionId): readonly OwnHash[];
  deposit(depositId: DepositId): Deposit | undefined;
  /** The last change of a token that was made at run time. */
  tokenChange(name: string): TokenChangeRow | undefined;
  /** How many items the credit feed has. */
  feedLength(): number;
  /** Number of the feed's history: that of the last restore, 0 without one. */
  feedHistory(): number;
  depositOfCredit(creditId: CreditId): DepositId | undefined;
  /** The reference that a credit was acknowledged with, active or reversed. */
  acknowledgedAs(creditId: CreditId): string | undefined;
  /** Deposits that a change of policy can affect, in the order of their hashes. */
  depositsToReevaluate(limit: number): readonly Deposit[];
  movement(key: MovementKey): Movement | undefined;
  /** A movement's entries against suspense, the oldest first. */
  suspenseEntriesOf(key: MovementKey): readonly SuspenseEntry[];
  unresolvedBreak(key: string): Break | undefined;
  unresolvedBreaks(types: readonly BreakType[]): readonly Break[];
  break(breakId: BreakId): Break | undefined;
  pinnedDecimals(asset: AssetId): number | undefined;
  policy(): PolicyRow | undefined;
  /** What a run compares, reviews and counts. */
  readonly run: {
    /** Movements that differ, changed at `until` or before, and were not compared since; oldest first. */
    movementsToCompare(due: {
      readonly until: number;
      readonly limit: number;
    }): readonly Movement[];
    /** Agreeing movements that a run found differing, the oldest first. */
    movementsToHeal(limit: number): readonly Movement[];
    movementCounts(): MovementCounts;
    /** Unresolved breaks after one of them: by type, the oldest first. */
    unresolvedBreaksAfter(
      breakId: BreakId | null,
      about: { readonly types: readonly BreakType[]; readonly limit: number },
    ): readonly Break[];
    unresolvedCount(types: readonly BreakType[]): number;
    reviewCursor(): ReviewCursor;
  };
  /** What has been open or idle for long. */
  readonly ages: {
    /** Unresolved breaks of these severities, opened at `openedUntil` or before; the oldest first. */
    breaksOpenedUntil(due: {
      readonly severity: Severity;
      readonly originalSeverity: Severity;
      readonly openedUntil: number;
      readonly limit: number;
    }): readonly Break[];
    /**
     * Deposits that may still change and have not since `until`, sorted by the hour of their last change and
     * then by their first fact, and how many there are in all.
     */
    idleDeposits(until: number, limit: number): Oldest<Deposit>;
    /** Deposits whose credit waits for its reversal since `until`, the oldest first, and their number. */
    unreversedDeposits(until: number, limit: number): Oldest<Deposit>;
    /** The same for withdrawals without a final status. */
    idleWithdrawals(until: number, limit: number): Oldest<Withdrawal>;
  };
  /** The exemption rules, and what they exempt. */
  readonly exemptions: {
    rules(): ExemptionRulesRow | undefined;
    difference(key: string): ExemptDifference | undefined;
    /** Exempt differences by key, after one of them. */
    differencesAfter(key: string | null, limit: number): readonly ExemptDifference[];
    /** How many differences of these types each rule exempts. */
    counts(types: readonly BreakType[]): Readonly<Record<string, number>>;
  };
  readonly closes: CloseSource;
}

/** What a position held at the end of a day. */
export interface PositionTotal {
  readonly account: LedgerAccount;
  /** Smallest units. */
  readonly amount: Amount;
}

/**
 * What each position that moved in a day held at its end, and when the day's entries were posted.
 * Times are Unix milliseconds.
 */
export interface SealedPositions {
  /** Null where the day has no entry. */
  readonly firstPostedAt: number | null;
  readonly lastPostedAt: number | null;
  readonly totals: readonly PositionTotal[];
}

/** What closing a day asks of a store. Times are Unix milliseconds, and a day is `YYYY-MM-DD`. */
export interface CloseSource {
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
   * transaction, by the sources that `ownEvidence` allows.
   */
  hashes(query: {
    afterSeq: number;
    throughSeq: number;
    also: readonly HashKey[];
    ownEvidence: OwnEvidence;
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
  readonly feed: readonly FeedRow[];
  readonly acknowledgements: readonly AcknowledgementRow[];
  readonly breaks: readonly Break[];
  readonly breakEvents: readonly StoredBreakEvent[];
  readonly reconciliations: readonly ReconciliationRow[];
  readonly policies: readonly PolicyRow[];
  readonly decimalsCorrections: readonly DecimalsCorrectionRow[];
  readonly tokenChanges: readonly TokenChangeRow[];
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
  /** How far the review of breaks has come; null where it has not moved. */
  readonly reviewCursor: ReviewCursor | null;
  readonly intakeCounts: ReadonlyMap<DeliveryOutcome, number>;
}
