import type { Amount } from '../domain/money/amount.ts';
import type { Break, BreakState, BreakType, Severity } from '../domain/break/break.ts';
import type { CloseRecord } from '../domain/close/record.ts';
import type { CloseSignature } from '../domain/close/signature.ts';
import type { CreditItem } from '../domain/deposit/credit.ts';
import type { RotationCursor } from '../domain/fact/custody-record.ts';
import type { CreditingPolicy } from '../domain/deposit/policy.ts';
import type { Deposit, DepositState, HoldReason } from '../domain/deposit/deposit.ts';
import type { KeyedHashState } from '../domain/hash/hash-state.ts';
import type { View } from '../domain/money/entry.ts';
import type { ExemptDifference, ExemptionRule } from '../domain/break/exemption.ts';
import type { IntakeStatus } from '../domain/fact/fact.ts';
import type {
  AddressId,
  AssetId,
  CreditId,
  DepositId,
  TransactionId,
  VaultId,
  HashKey,
} from '../domain/ids.ts';
import type { Movement, MovementAgreement } from '../domain/money/movement.ts';
import type { Withdrawal } from '../domain/withdrawal/withdrawal.ts';
import type { StoredBreakEvent } from './records.ts';
import type { DayMovement, DayMovementQuery } from './day-movement.ts';
import type {
  CustodyEffectRow,
  DecimalsCorrectionRow,
  ClosedDayRow,
  DailyCloseRow,
  PolicyRow,
  QuarantineRow,
  ReconciliationRow,
} from './records.ts';

/** The store refused a read: too many reads wait, or this one took too long. */
export class ReadRefused extends Error {
  override readonly name = 'ReadRefused';
}

/** A page of a list: `page` is 0-based. */
export interface PageRequest {
  readonly page: number;
  readonly pageSize: number;
}

/** One page of a list. `total`: number of items on all pages. */
export interface Page<Item> extends PageRequest {
  readonly items: readonly Item[];
  readonly total: number;
}

/** One page of a closed day's movements. */
export interface DayMovementPage extends Page<DayMovement> {
  /** False when `hashesMax` left hashes out; `total` does not count them. */
  readonly isWhole: boolean;
}

/** Selects balances; undefined members do not filter, and '' matches positions without the part. */
export interface BalanceQuery {
  readonly view: View;
  readonly vaultId?: string;
  readonly accountId?: string;
  readonly addressId?: string;
  readonly memo?: string;
  readonly asset?: string;
  /** Unix milliseconds: balances of the entries posted until then, inclusive. */
  readonly asOf?: number;
}

/** A position with its balance. Every part but the vault and the asset may be null. */
export interface Balance {
  readonly vaultId: string;
  readonly accountId: string | null;
  readonly addressId: string | null;
  readonly memo: string | null;
  readonly asset: string;
  /** Smallest unit. */
  readonly amount: Amount;
  /** Deposits in the mempool that are not posted yet; zero with `asOf` and in the chain view. */
  readonly pending: Amount;
}

/** Selects deposits; undefined members do not filter. */
export interface DepositQuery {
  readonly state?: DepositState;
  readonly vaultId?: string;
  readonly blockchainHash?: string;
}

/** Selects withdrawals; undefined members do not filter. */
export interface WithdrawalQuery {
  readonly status?: string;
  readonly vaultId?: string;
  readonly blockchainHash?: string;
}

/** One item of the credit feed. `feedSeq`: its number, 1 for the first. */
export interface StoredCredit {
  readonly feedSeq: number;
  readonly item: CreditItem;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

/** A posting of an entry as a statement shows it. */
export interface LedgerLine {
  readonly kind: string;
  readonly accountId: string | null;
  readonly addressId: string | null;
  readonly memo: string | null;
  readonly asset: string;
  /** Smallest unit. */
  readonly amount: Amount;
  readonly changeKind: string;
}

/** An entry as a statement shows it. */
export interface LedgerEntry {
  readonly entryId: number;
  /** Journal position of its fact. */
  readonly seq: number;
  readonly view: View;
  readonly cause: string;
  readonly vaultId: string;
  readonly transactionId: string | null;
  /** Id of the entry that it reverses; null for none. */
  readonly reverses: number | null;
  /** Unix milliseconds. */
  readonly postedAt: number;
  readonly lines: readonly LedgerLine[];
}

/** A movement, how its sides agree, and the entries that it sums. */
export interface MovementStatement {
  readonly movement: Movement;
  readonly agreement: MovementAgreement;
  readonly entries: readonly LedgerEntry[];
}

/** Selects notifications; undefined members do not filter. */
export interface NotificationQuery {
  readonly id?: string;
  readonly vaultId?: string;
  readonly blockchainHash?: string;
  readonly status?: IntakeStatus;
}

/** A notification as a list shows it; members are null when its body does not have them. */
export interface StoredNotification {
  readonly seq: number;
  readonly id: string;
  readonly status: IntakeStatus;
  readonly stream: string | null;
  readonly type: string | null;
  readonly vaultId: string | null;
  readonly network: string | null;
  readonly blockchainHash: string | null;
  readonly transactionId: string | null;
  readonly confirmations: number | null;
  /** Unix milliseconds. */
  readonly receivedAt: number;
}

/** A feed item that reverses a credit. */
export interface ReversalInFeed {
  readonly creditId: CreditId;
  readonly reverses: CreditId;
  readonly feedSeq: number;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

/** A break with members that every read computes, because they change after the break opened. */
export interface ShownBreak extends Break {
  /** Journal position of the newest fact that opened or changed it. */
  readonly seq: number;
  /**
   * For a `reversal_after_credit`: the reversal of its credit. Null while there is none, and for
   * other types.
   */
  readonly reversal: ReversalInFeed | null;
}

/** A computed day, with the journal position and time that its report depends on. */
export interface ComputedClose {
  readonly asOf: NonNullable<CloseRecord['asOf']>;
  /** The text for the fact that closes the day, unchanged (`packDay`). */
  readonly computed: string;
}

/** The body of a fact. `isWhole`: its length is the recorded one; else the store is damaged. */
export interface KeptBody {
  readonly bytes: Uint8Array;
  readonly isWhole: boolean;
}

/** Selects and orders breaks; undefined members do not filter. */
export interface BreakQuery {
  /** `unresolved`: open or under investigation. */
  readonly state?: BreakState | 'unresolved';
  readonly type?: BreakType;
  readonly vaultId?: string;
  readonly severity?: Severity;
  /** Null: breaks without an assignee. */
  readonly assignee?: string | null;
  /** Undefined: newest first. `severity:desc` orders each severity by age, oldest first. */
  readonly sort?: BreakSort;
}

/** The orders in which breaks can be listed. */
export const BREAK_SORTS = [
  'openedAt:desc',
  'openedAt:asc',
  'updatedAt:desc',
  'severity:desc',
] as const;
export type BreakSort = (typeof BREAK_SORTS)[number];

/** A policy, and the one that it replaced; null for the first. */
export interface PolicyChange extends PolicyRow {
  readonly before: CreditingPolicy | null;
}

/** Counts for the console, metrics and the demo's closing line. */
export interface StoreCounts {
  readonly notifications: {
    readonly accepted: number;
    readonly duplicates: number;
    readonly quarantined: number;
    readonly refused: number;
  };
  readonly deposits: Readonly<Partial<Record<DepositState, number>>>;
  /** Reasons for which deposits are held now. `oldestAt`: when the oldest was first seen. */
  readonly held: readonly { readonly reason: HoldReason; readonly oldestAt: number }[];
  readonly credits: {
    readonly credits: number;
    readonly reversals: number;
    /** When the oldest active, unacknowledged credit was made; null without any. */
    readonly oldestUnacknowledgedAt: number | null;
  };
  readonly breaks: {
    readonly open: number;
    readonly resolved: number;
    readonly byType: readonly {
      type: BreakType;
      severity: Severity;
      open: number;
      /** When the oldest of them opened, Unix milliseconds. */
      oldestAt: number;
    }[];
  };
  /** Position of the last fact; 0 in an empty journal. */
  readonly journalHead: number;
  /** Differences between books and chain view that no run has compared yet. */
  readonly unjudgedMovements: number;
}

/** An address and the vault that it belongs to. */
export interface VaultAddress {
  readonly vaultId: VaultId;
  readonly addressId: AddressId;
}

/** The records that a comparison reads, from one snapshot. */
export interface ReconcilerView {
  readonly hashStates: readonly KeyedHashState[];
  readonly withdrawals: readonly Withdrawal[];
  /** Unresolved breaks that a comparison can open, change or resolve, by key. */
  readonly openBreaks: ReadonlyMap<string, Break>;
  readonly pinnedDecimals: ReadonlyMap<AssetId, number>;
  readonly policy: CreditingPolicy | null;
  readonly exemptions: readonly ExemptionRule[];
  /** Exempt differences, by key. */
  readonly exempt: ReadonlyMap<string, ExemptDifference>;
}

/** A closed day with the signatures of its report. */
export interface SignedDay {
  readonly close: ClosedDayRow;
  readonly signatures: readonly CloseSignature[];
}

/** A closed day with its signatures and the report itself. */
export interface ClosedReport extends SignedDay {
  readonly close: DailyCloseRow;
}

/** The effect of one asset of a custody transaction on the closes so far. */
export type CountedRow = Pick<CustodyEffectRow, 'vaultId' | 'blockchainHash' | 'asset' | 'amount'>;

/**
 * The reading side of a store, on its own connection: readers never delay a commit. Each call sees
 * one consistent snapshot. Times are Unix milliseconds. Calls reject with `ReadRefused` under load.
 */
export interface Reads {
  balances(query: BalanceQuery, page: PageRequest): Promise<Page<Balance>>;
  deposits(query: DepositQuery, page: PageRequest): Promise<Page<Deposit>>;
  deposit(depositId: string): Promise<Deposit | undefined>;
  /** Feed items with a number greater than `after`, in order. */
  credits(after: number, limit: number): Promise<readonly StoredCredit[]>;
  /** Number of the last item of the feed; 0 while it is empty. */
  feedHead(): Promise<number>;
  /** The feed's length at each restore from a backup, oldest first. */
  restoredAfter(): Promise<readonly number[]>;
  /** One feed item by its id. */
  credit(creditId: string): Promise<StoredCredit | undefined>;
  withdrawals(query: WithdrawalQuery, page: PageRequest): Promise<Page<Withdrawal>>;
  movements(blockchainHash: string): Promise<readonly MovementStatement[]>;
  notifications(query: NotificationQuery, page: PageRequest): Promise<Page<StoredNotification>>;
  quarantine(page: PageRequest): Promise<Page<QuarantineRow>>;
  /** The body of the fact at a journal position, with the bytes that were received. */
  body(seq: number): Promise<KeptBody | undefined>;
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
  policy(): Promise<PolicyRow | undefined>;
  /** The configuration's last policy, whatever was set through the API since. */
  configuredPolicy(): Promise<CreditingPolicy | undefined>;
  /** The exemption rules that were set last. */
  exemptions(): Promise<readonly ExemptionRule[]>;
  /** Every policy that was set, newest first, each with its predecessor. */
  policyHistory(page: PageRequest): Promise<Page<PolicyChange>>;
  /** Deposits that a change of policy can affect, in the order of their hashes, after `after`. */
  depositsToJudge(after: DepositId | null, limit: number): Promise<readonly Deposit[]>;
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
   * Withdrawals that the custody API has not confirmed: first the doubted, then the unasked, then
   * the unknown ones whose difference is still open; oldest first within each group.
   */
  waitingWithdrawals(limit: number): Promise<readonly Withdrawal[]>;
  /**
   * Movements without a chain view: first those without a sum from the custody API, then those
   * whose sum differs; oldest change first within each group.
   */
  unsettledMovements(limit: number): Promise<readonly Movement[]>;
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
  /** How far the last close that read the custody API's list has read it; null before the first. */
  custodyReadThrough(): Promise<number | null>;
  /** The effects of custody transactions on the closes so far, by transaction. */
  custodyEffects(
    transactionIds: readonly TransactionId[],
  ): Promise<ReadonlyMap<TransactionId, readonly CountedRow[]>>;
  /**
   * The store's side of a comparison, from one snapshot: the hash states of the hashes, and of
   * every hash that one of the transactions has or is claimed to have.
   */
  reconcilerView(about: {
    hashes: readonly HashKey[];
    transactionIds: readonly TransactionId[];
  }): Promise<ReconcilerView>;
}
