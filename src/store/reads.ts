import type { Received, ReconcilerView } from './reconciler-view.ts';
import type { Break, BreakType } from '../domain/break/break.ts';
import type { CloseRecord } from '../domain/close/record.ts';
import type { RotationCursor } from '../domain/fact/custody-record.ts';
import type { CreditingPolicy } from '../domain/policy/policy.ts';
import type { Deposit, HoldReason } from '../domain/deposit/deposit.ts';
import type { FeedRestore } from '../domain/deposit/feed-cursor.ts';
import type { HeldExemptions } from '../domain/break/held-exemptions.ts';
import type {
  AddressId,
  AssetId,
  DepositId,
  TransactionId,
  VaultId,
  HashKey,
} from '../domain/ids.ts';
import type { Movement } from '../domain/money/movement.ts';
import type { Withdrawal } from '../domain/withdrawal/withdrawal.ts';
import type {
  StoredBreakEvent,
  DecimalsCorrectionRow,
  TokenChangeRow,
  ClosedDayRow,
  PolicyRow,
  QuarantineRow,
  ReconciliationRow,
} from './records.ts';
import type { DayMovementQuery, DayMovementPage } from './day-movement.ts';
import type { PageRequest, Page } from './page.ts';
import type { StatementAnswer, StatementQuery } from './statement.ts';
import type {
  BalanceQuery,
  DepositPageRequest,
  DepositQuery,
  DepositSearch,
  Mentioned,
  WithdrawalQuery,
  NotificationQuery,
  QuarantinePageRequest,
  BreakQuery,
  DecisionQuery,
} from './queries.ts';
import type {
  Balance,
  FeedItem,
  Mentions,
  Oldest,
  StoredCredit,
  DepositLife,
  DepositsFound,
  MovementStatement,
  StoredNotification,
  ShownBreak,
  ComputedClose,
  KeptBody,
  PolicyChange,
  StoreCounts,
  VaultAddress,
  SignedDay,
  WithdrawalLife,
  ClosedReport,
  CountedRow,
  DecisionPage,
  ReadThrough,
} from './answers.ts';

/** The store refused a read: too many reads wait, or this one took too long. */
export class ReadRefused extends Error {
  override readonly name = 'ReadRefused';
}

/**
 * The reading side of a store, on its own connection: readers never delay a commit. Each call sees
 * one consistent snapshot. Times are Unix milliseconds. Calls reject with `ReadRefused` under load.
 */
export interface Reads {
  balances(query: BalanceQuery, page: PageRequest): Promise<Page<Balance>>;
  /** A position's opening, lines and closing of a period; a bound ends too long a reading. */
  statement(query: StatementQuery, page: PageRequest): Promise<StatementAnswer>;
  deposits(query: DepositQuery, page: PageRequest): Promise<Page<Deposit>>;
  deposit(depositId: string): Promise<Deposit | undefined>;
  /** Held deposits: at most `limit` of each of the reasons, first seen first; `total` counts all. */
  oldestHeld(reasons: readonly HoldReason[], limit: number): Promise<Oldest<Deposit>>;
  /** A page of deposits, newest first. Reading stops at a limit; the answer says how far it came. */
  findDeposits(search: DepositSearch, page: DepositPageRequest): Promise<DepositsFound>;
  /** A deposit with the facts about it, from one snapshot. */
  depositLife(depositId: string): Promise<DepositLife | undefined>;
  /** Feed items with a number greater than `after`, in order. */
  credits(after: number, limit: number): Promise<readonly StoredCredit[]>;
  /** Feed items, newest first, with their acknowledgements. */
  feedPage(page: PageRequest): Promise<Page<FeedItem>>;
  /** Deposits whose credit the consumer has not acknowledged: the oldest credits first. */
  unacknowledged(limit: number): Promise<Oldest<Deposit>>;
  /** Position of the journal's last fact; 0 while it is empty. */
  journalHead(): Promise<number>;
  /** Number of the last item of the feed; 0 while it is empty. */
  feedHead(): Promise<number>;
  /** The restores from a backup, oldest first. */
  feedRestores(): Promise<readonly FeedRestore[]>;
  /** One feed item by its id. */
  credit(creditId: string): Promise<StoredCredit | undefined>;
  withdrawals(query: WithdrawalQuery, page: PageRequest): Promise<Page<Withdrawal>>;
  /** Deposits, withdrawals and open breaks of a text or an amount; the reading is bounded. */
  mentions(mentioned: Mentioned, limit: number): Promise<Mentions>;
  /** A withdrawal with the facts about it, from one snapshot. */
  withdrawalLife(transactionId: string): Promise<WithdrawalLife | undefined>;
  movements(blockchainHash: string): Promise<readonly MovementStatement[]>;
  notifications(query: NotificationQuery, page: PageRequest): Promise<Page<StoredNotification>>;
  quarantine(page: QuarantinePageRequest): Promise<Page<QuarantineRow>>;
  quarantined(quarantineId: string): Promise<QuarantineRow | undefined>;
  /** The body of the fact at a journal position, with the bytes that were received. */
  body(seq: number): Promise<KeptBody | undefined>;
  /** What people, consumers and the configuration decided. */
  decisions(query: DecisionQuery): Promise<DecisionPage>;
  breaks(query: BreakQuery, page: PageRequest): Promise<Page<ShownBreak>>;
  break(
    breakId: string,
  ): Promise<{ found: ShownBreak; history: readonly StoredBreakEvent[] } | undefined>;
  /** Unresolved breaks of a type, in the order of their keys. */
  openBreaksOf(type: BreakType, limit: number): Promise<readonly Break[]>;
  /** How far complete runs have read the custody API's list; null before the first. */
  custodyWatermark(): Promise<number | null>;
  reconciliations(page: PageRequest): Promise<Page<ReconciliationRow>>;
  counts(): Promise<StoreCounts>;
  /** The decimals of each asset, pinned at its first sighting. */
  pinnedDecimals(): Promise<ReadonlyMap<AssetId, number>>;
  /** Corrections of decimals by people, newest first. `asset`: only this asset's. */
  decimalsCorrections(asset?: AssetId): Promise<readonly DecimalsCorrectionRow[]>;
  /** Every change of the tokens that people made at run time, oldest first. */
  tokenChanges(): Promise<readonly TokenChangeRow[]>;
  policy(): Promise<PolicyRow | undefined>;
  /** The configuration's last policy; policies set through the API do not count. */
  configuredPolicy(): Promise<CreditingPolicy | undefined>;
  /** The exemption rules of the configuration and of people. */
  exemptions(): Promise<HeldExemptions>;
  /** Every policy that was set, newest first, each with its predecessor. */
  policyHistory(page: PageRequest): Promise<Page<PolicyChange>>;
  /** Deposits that a change of policy can affect, in the order of their hashes, after `after`. */
  depositsToReevaluate(after: DepositId | null, limit: number): Promise<readonly Deposit[]>;
  /** Number of deposits that wait for verification, for callers that need not read them. */
  waitingDepositCount(): Promise<number>;
  /** Deposits that the sweep still verifies at the custody API, first seen first. */
  waitingDeposits(): Promise<readonly Deposit[]>;
  /**
   * Internal deposits whose only evidence is a webhook about a transaction that the custody API has
   * never shown. Their own custody record matched at `verifiedBy` or earlier; first verified first.
   */
  disputedDeposits(verifiedBy: number, limit: number): Promise<readonly Deposit[]>;
  /**
   * Of the newest `limit` deposits, those that are verified, or that have a credit without a reversal.
   */
  newestVerified(limit: number): Promise<readonly Deposit[]>;
  /**
   * Withdrawals that the custody API has not confirmed: first the doubted, then the unasked, then
   * the unknown ones whose difference is still open; oldest first within each group.
   */
  unconfirmedWithdrawals(limit: number): Promise<readonly Withdrawal[]>;
  /**
   * Movements without a chain view: first those without a sum from the custody API, then those
   * whose sum differs; oldest change first within each group.
   */
  unconfirmedMovements(limit: number): Promise<readonly Movement[]>;
  /** Whether a run must compare more than one commit takes. `until`: changes up to then count. */
  needsRunStep(until: number): Promise<boolean>;
  /** One run by the journal position of its record. */
  reconciliation(seq: number): Promise<ReconciliationRow | undefined>;
  /** A vault's addresses that the ledger knows, ordered by id, after one of them. */
  addressesOf(query: {
    vaultId: VaultId;
    /** '' for the first addresses. */
    after: string;
    limit: number;
  }): Promise<readonly AddressId[]>;
  /**
   * Addresses of the chain view's entries after `afterEntry`, newest first, from at most `limit`
   * lines; none for null. `lastEntry`: the `afterEntry` of the next call.
   */
  addressesChanged(query: { afterEntry: number | null; limit: number }): Promise<{
    readonly addresses: readonly VaultAddress[];
    readonly lastEntry: number;
  }>;
  /** How far the round over all addresses has come; null before its first step. */
  rotationCursor(): Promise<RotationCursor | null>;
  /** Closed days, newest first. */
  closes(page: PageRequest): Promise<Page<SignedDay>>;
  /** Closed days that lack a signature: those with exceptions first, then the oldest first. */
  unsignedCloses(limit: number): Promise<Oldest<SignedDay>>;
  closedDay(day: string): Promise<ClosedReport | undefined>;
  /** The movements of a closed day's figures, by asset, vault and hash. Undefined: not closed. */
  dayMovements(query: DayMovementQuery, page: PageRequest): Promise<DayMovementPage | undefined>;
  lastClose(): Promise<ClosedDayRow | undefined>;
  /** When the first fact was recorded; null while there is none. */
  firstRecordedAt(): Promise<number | null>;
  /** When the last fact was recorded; null while there is none. */
  newestRecordedAt(): Promise<number | null>;
  /** The last fact recorded before `moment`, at `afterSeq` or later, with its commit's seal. */
  journalMark(moment: number, afterSeq: number): Promise<Pick<CloseRecord, 'throughSeq' | 'seal'>>;
  /** Computes a day's report from one snapshot, for the fact that closes the day at `at`. */
  computeDay(record: CloseRecord, at: number): Promise<ComputedClose>;
  /** The last close's reading of the custody API's list; null before the first one. */
  custodyReadThrough(): Promise<ReadThrough | null>;
  /** The effects of custody transactions on the closes so far, by transaction. */
  custodyEffects(
    transactionIds: readonly TransactionId[],
  ): Promise<ReadonlyMap<TransactionId, readonly CountedRow[]>>;
  /**
   * The store's side of a comparison, from one snapshot: the hash states of the hashes, and of
   * every hash that one of the transactions has or is claimed to have. `rolledBackAfter`: the
   * last rollbacks after this journal position are wanted too; absent: none. `received`: their
   * deposits that were verified or credited at another hash or position are wanted too. `unsent`:
   * own transactions without a hash are wanted too.
   */
  reconcilerView(about: {
    hashes: readonly HashKey[];
    transactionIds: readonly TransactionId[];
    rolledBackAfter?: number;
    received?: readonly Received[];
    unsent?: boolean;
  }): Promise<ReconcilerView>;
}
