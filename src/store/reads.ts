import type { Amount } from '../domain/amount.ts';
import type { Break, BreakState, BreakType, Severity } from '../domain/break.ts';
import type { CloseRecord } from '../domain/close-record.ts';
import type { CloseSignature } from '../domain/close-signature.ts';
import type { CreditItem } from '../domain/credit.ts';
import type { RotationCursor } from '../domain/custody.ts';
import type { CreditingPolicy } from '../domain/crediting.ts';
import type { Deposit, DepositState, HoldReason } from '../domain/deposit.ts';
import type { HashDossier } from '../domain/dossier.ts';
import type { View } from '../domain/entry.ts';
import type { ExemptDifference, ExemptionRule } from '../domain/exemption.ts';
import type { IntakeStatus } from '../domain/fact.ts';
import type {
  AddressId,
  AssetId,
  CreditId,
  DepositId,
  TransactionId,
  VaultId,
  HashKey,
} from '../domain/ids.ts';
import type { Movement, MovementStanding } from '../domain/movement.ts';
import type { Withdrawal } from '../domain/withdrawal.ts';
import type { StoredBreakEvent } from './break-book.ts';
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

/** A read that is not made now: too many wait, or it took too long. */
export class ReadRefused extends Error {
  override readonly name = 'ReadRefused';
}

/** A page of a list: `page` is 0-based. */
export interface PageRequest {
  readonly page: number;
  readonly pageSize: number;
}

export interface Page<Item> extends PageRequest {
  readonly items: readonly Item[];
  readonly total: number;
}

export interface DayMovementPage extends Page<DayMovement> {
  /** False where `hashesMax` left hashes out, of which `total` then counts nothing. */
  readonly isWhole: boolean;
}

export interface BalanceQuery {
  readonly view: View;
  readonly vaultId?: string;
  readonly accountId?: string;
  readonly addressId?: string;
  readonly memo?: string;
  readonly asset?: string;
  /** Unix milliseconds: balances of what was posted until then, inclusive. */
  readonly asOf?: number;
}

/** A position and what it holds. Every part but the vault and the asset may be null. */
export interface Balance {
  readonly vaultId: string;
  readonly accountId: string | null;
  readonly addressId: string | null;
  readonly memo: string | null;
  readonly asset: string;
  readonly amount: Amount;
  /** Deposits detected in the mempool and not posted yet; zero with `asOf` and on `chain`. */
  readonly pending: Amount;
}

export interface DepositQuery {
  readonly state?: DepositState;
  readonly vaultId?: string;
  readonly blockchainHash?: string;
}

export interface WithdrawalQuery {
  readonly status?: string;
  readonly vaultId?: string;
  readonly blockchainHash?: string;
}

/** One item of the credit feed; `feedSeq` orders it. */
export interface StoredCredit {
  readonly feedSeq: number;
  readonly item: CreditItem;
  readonly createdAt: number;
}

/** A line of an entry as a statement shows it. */
export interface LedgerLine {
  readonly kind: string;
  readonly accountId: string | null;
  readonly addressId: string | null;
  readonly memo: string | null;
  readonly asset: string;
  readonly amount: Amount;
  readonly changeKind: string;
}

export interface LedgerEntry {
  readonly entryId: number;
  readonly seq: number;
  readonly view: View;
  readonly cause: string;
  readonly vaultId: string;
  readonly transactionId: string | null;
  readonly reverses: number | null;
  readonly postedAt: number;
  readonly lines: readonly LedgerLine[];
}

/** A movement with its standing, and the entries behind it. */
export interface MovementStatement {
  readonly movement: Movement;
  readonly standing: MovementStanding;
  readonly entries: readonly LedgerEntry[];
}

export interface NotificationQuery {
  readonly id?: string;
  readonly vaultId?: string;
  readonly blockchainHash?: string;
  readonly status?: IntakeStatus;
}

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
  readonly receivedAt: number;
}

/** An item of the feed that takes a credit back. */
export interface ReversalInFeed {
  readonly creditId: CreditId;
  readonly reverses: CreditId;
  readonly feedSeq: number;
  readonly createdAt: number;
}

/** A break with what is worked out whenever it is read, because it goes on after the break was told. */
export interface ShownBreak extends Break {
  /** Place in the journal of the newest fact that opened it or changed what it says. */
  readonly seq: number;
  /**
   * Of a `reversal_after_credit`: what took back the credit that it is about; null while nothing has,
   * and of other types.
   */
  readonly reversal: ReversalInFeed | null;
}

/** The body of a fact. `isWhole`: it is as long as its fact says; else the store is damaged. */
export interface KeptBody {
  readonly bytes: Uint8Array;
  readonly isWhole: boolean;
}

export interface BreakQuery {
  /** `unresolved`: open ones and those under investigation. */
  readonly state?: BreakState | 'unresolved';
  readonly type?: BreakType;
  readonly vaultId?: string;
  readonly severity?: Severity;
  /** Null: those that nobody looks after. */
  readonly assignee?: string | null;
  /** Newest first unless said otherwise; `severity:desc` gives the oldest first within each. */
  readonly sort?: BreakSort;
}

export const BREAK_SORTS = [
  'openedAt:desc',
  'openedAt:asc',
  'updatedAt:desc',
  'severity:desc',
] as const;
export type BreakSort = (typeof BREAK_SORTS)[number];

/** A policy that was set, and the one that held until then. */
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
  /** Reasons for which deposits are held now, each with when the oldest was first seen. */
  readonly held: readonly { readonly reason: HoldReason; readonly oldestAt: number }[];
  readonly credits: {
    readonly credits: number;
    readonly reversals: number;
    /** When the oldest came that stands and is not acknowledged; null where none is. */
    readonly oldestUnacknowledgedAt: number | null;
  };
  readonly breaks: {
    readonly open: number;
    readonly resolved: number;
    readonly byType: readonly {
      type: BreakType;
      severity: Severity;
      open: number;
      /** When the oldest of them was opened, Unix milliseconds. */
      oldestAt: number;
    }[];
  };
  readonly journalHead: number;
  /** Differences between books and chain view that no run has judged yet. */
  readonly unjudgedMovements: number;
}

/** An address and the vault that it belongs to. */
export interface AddressPlace {
  readonly vaultId: VaultId;
  readonly addressId: AddressId;
}

/** Dossiers, withdrawals and what else a comparison needs, at one moment. */
export interface ReconcilerView {
  readonly dossiers: readonly HashDossier[];
  readonly withdrawals: readonly Withdrawal[];
  /** Unresolved breaks that a comparison may be about, by key. */
  readonly openBreaks: ReadonlyMap<string, Break>;
  readonly pinnedDecimals: ReadonlyMap<AssetId, number>;
  readonly policy: CreditingPolicy | null;
  readonly exemptions: readonly ExemptionRule[];
  /** By key. */
  readonly exempt: ReadonlyMap<string, ExemptDifference>;
}

/** A closed day with who has signed its report. */
export interface SignedDay {
  readonly close: ClosedDayRow;
  readonly signatures: readonly CloseSignature[];
}

/** The same with the report. */
export interface ClosedReport extends SignedDay {
  readonly close: DailyCloseRow;
}

/** What one asset of a custody transaction counts for in the closes so far. */
export type CountedRow = Pick<CustodyEffectRow, 'vaultId' | 'blockchainHash' | 'asset' | 'amount'>;

/**
 * The reading side of a store, on a connection of its own: readers never make a commit wait. Each
 * call sees one consistent snapshot.
 */
export interface Reads {
  balances(query: BalanceQuery, page: PageRequest): Promise<Page<Balance>>;
  deposits(query: DepositQuery, page: PageRequest): Promise<Page<Deposit>>;
  deposit(depositId: string): Promise<Deposit | undefined>;
  /** Items of the feed after the one of this number, in order. */
  credits(after: number, limit: number): Promise<readonly StoredCredit[]>;
  /** Number of the last item of the feed; 0 while it is empty. */
  feedHead(): Promise<number>;
  /** How many items the feed had at each restore from a backup, oldest first. */
  restoredAfter(): Promise<readonly number[]>;
  /** One item of the feed by its own id. */
  credit(creditId: string): Promise<StoredCredit | undefined>;
  withdrawals(query: WithdrawalQuery, page: PageRequest): Promise<Page<Withdrawal>>;
  movements(blockchainHash: string): Promise<readonly MovementStatement[]>;
  notifications(query: NotificationQuery, page: PageRequest): Promise<Page<StoredNotification>>;
  quarantine(page: PageRequest): Promise<Page<QuarantineRow>>;
  /** The body of the fact at a place in the journal, byte by byte as it was received. */
  body(seq: number): Promise<KeptBody | undefined>;
  breaks(query: BreakQuery, page: PageRequest): Promise<Page<ShownBreak>>;
  break(
    breakId: string,
  ): Promise<{ found: ShownBreak; history: readonly StoredBreakEvent[] } | undefined>;
  /** Unresolved breaks of a type, in the order of their keys. */
  openBreaksOf(type: BreakType, limit: number): Promise<readonly Break[]>;
  /** The newest place up to which a complete run has read the custody API's list. */
  custodyWatermark(): Promise<number | null>;
  reconciliations(page: PageRequest): Promise<Page<ReconciliationRow>>;
  counts(): Promise<StoreCounts>;
  /** Decimals of assets, pinned at their first sighting. */
  pinnedDecimals(): Promise<ReadonlyMap<AssetId, number>>;
  /** Corrections of decimals by people, newest first; of one asset where it is named. */
  decimalsCorrections(asset?: AssetId): Promise<readonly DecimalsCorrectionRow[]>;
  policy(): Promise<PolicyRow | undefined>;
  /** What the configuration said when it set a policy last, whatever was set through the API since. */
  configuredPolicy(): Promise<CreditingPolicy | undefined>;
  /** The exemption rules that were set last. */
  exemptions(): Promise<readonly ExemptionRule[]>;
  /** Every policy that was set, newest first, with the one before it. */
  policyHistory(page: PageRequest): Promise<Page<PolicyChange>>;
  /** Deposits that a change of policy can move, by id, after one of them. */
  depositsToJudge(after: DepositId | null, limit: number): Promise<readonly Deposit[]>;
  /** How many deposits wait for the custody API's word, where reading them all would be too much. */
  waitingDepositCount(): Promise<number>;
  /** Deposits that the custody API still has to be asked about. */
  waitingDeposits(): Promise<readonly Deposit[]>;
  /**
   * Deposits that are internal by the word of webhooks about transactions that the custody API has
   * never shown, and that its own record matched at `verifiedBy` or earlier; the first of them first.
   */
  disputedDeposits(verifiedBy: number, limit: number): Promise<readonly Deposit[]>;
  /**
   * Withdrawals that the custody API has not confirmed: those that it has shown otherwise, those of
   * which nothing but webhooks told, then those that it did not know and whose difference is still
   * open; the oldest of each first.
   */
  waitingWithdrawals(limit: number): Promise<readonly Withdrawal[]>;
  /**
   * Movements of hashes on which no chain view tells: those that the custody API was not asked
   * about yet, then those on which it says otherwise; the oldest of each first.
   */
  unsettledMovements(limit: number): Promise<readonly Movement[]>;
  /** Whether a run has more to judge than one commit takes, of what last changed until then. */
  needsRunStep(until: number): Promise<boolean>;
  /** One run by its place in the journal. */
  reconciliation(seq: number): Promise<ReconciliationRow | undefined>;
  /** A vault's addresses that the ledger knows, in order of their ids, beyond one of them. */
  addressesOf(query: {
    vaultId: VaultId;
    /** '' for the first. */
    after: string;
    limit: number;
  }): Promise<readonly AddressId[]>;
  /**
   * Addresses of the chain view's newest entries after one of them, from at most `limit` lines;
   * none for null. `lastEntry` is what to ask with the next time.
   */
  addressesChanged(query: { afterEntry: number | null; limit: number }): Promise<{
    readonly places: readonly AddressPlace[];
    readonly lastEntry: number;
  }>;
  /** Where the round over all addresses stands; null before its first step. */
  rotationCursor(): Promise<RotationCursor | null>;
  /** Closed days, newest first. */
  closes(page: PageRequest): Promise<Page<SignedDay>>;
  closedDay(day: string): Promise<ClosedReport | undefined>;
  /** The movements behind a closed day's figures, by asset, vault and hash; undefined when not closed. */
  dayMovements(query: DayMovementQuery, page: PageRequest): Promise<DayMovementPage | undefined>;
  lastClose(): Promise<ClosedDayRow | undefined>;
  /** When the first fact was recorded; null while there is none. */
  firstRecordedAt(): Promise<number | null>;
  /** When the last fact was recorded, by the clock of then; null while there is none. */
  newestRecordedAt(): Promise<number | null>;
  /** The last fact before the clock passed a moment, after a known place, with its commit. */
  journalMark(moment: number, afterSeq: number): Promise<Pick<CloseRecord, 'throughSeq' | 'seal'>>;
  /** Works a day out ahead of the fact that closes it, to be submitted with it. */
  prepareClose(record: CloseRecord): Promise<string>;
  /** Up to where the last close that read the custody API's list has read it. */
  custodyReadThrough(): Promise<number | null>;
  custodyEffects(
    transactionIds: readonly TransactionId[],
  ): Promise<ReadonlyMap<TransactionId, readonly CountedRow[]>>;
  /**
   * Our side of what the reconciler compares, as one consistent snapshot: dossiers of the hashes,
   * and of every hash that one of the transactions is said to have.
   */
  reconcilerView(about: {
    hashes: readonly HashKey[];
    transactionIds: readonly TransactionId[];
  }): Promise<ReconcilerView>;
}
