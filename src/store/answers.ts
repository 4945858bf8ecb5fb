import type { Amount } from '../domain/money/amount.ts';
import type { Break, BreakType, Severity } from '../domain/break/break.ts';
import type { CloseRecord } from '../domain/close/record.ts';
import type { CloseSignature } from '../domain/close/signature.ts';
import type { CreditItem } from '../domain/deposit/credit.ts';
import type { CreditingPolicy } from '../domain/policy/policy.ts';
import type { Decision } from '../domain/fact/decision.ts';
import type { Deposit, DepositState, HoldReason } from '../domain/deposit/deposit.ts';
import type { EntryCause, View } from '../domain/money/entry.ts';
import type { ChangeKind } from '../domain/fact/notification.ts';
import type { OwnHash } from '../domain/withdrawal/own-hash.ts';
import type { FactKind, IntakeStatus } from '../domain/fact/fact.ts';
import type { AddressId, BlockchainHash, CreditId, VaultId } from '../domain/ids.ts';
import type { Movement, MovementAgreement } from '../domain/money/movement.ts';
import type { Withdrawal } from '../domain/withdrawal/withdrawal.ts';
import type {
  CustodyEffectRow,
  ClosedDayRow,
  DailyCloseRow,
  PolicyRow,
  StoredBreakEvent,
} from './records.ts';
import type { EntryOrigin, Position } from './statement.ts';

/** A position with its balance. */
export interface Balance extends Position {
  /** Smallest unit. */
  readonly amount: Amount;
  /** Deposits in the mempool that are not posted yet; zero with `asOf` and in the chain view. */
  readonly pending: Amount;
}

/** One item of the credit feed. `feedSeq`: its number, 1 for the first. */
export interface StoredCredit {
  readonly feedSeq: number;
  readonly item: CreditItem;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

/** An item of the feed with what the consumer booked it as; null before, and for a reversal. */
export interface FeedItem extends StoredCredit {
  readonly reference: string | null;
  /** Whether a later item reverses this one. */
  readonly isReversed: boolean;
}

/** A posting of an entry as a statement shows it. */
export interface LedgerLine extends Omit<Position, 'vaultId'> {
  readonly kind: string;
  /** Smallest unit. */
  readonly amount: Amount;
  readonly changeKind: string;
}

/** An entry as a statement shows it. */
export interface LedgerEntry extends EntryOrigin {
  readonly view: View;
  readonly vaultId: string;
  readonly lines: readonly LedgerLine[];
}

/** A movement, how its sides agree, and the entries that it sums. */
export interface MovementStatement {
  readonly movement: Movement;
  readonly agreement: MovementAgreement;
  readonly entries: readonly LedgerEntry[];
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
  /** Hashes about which the close asks the custody API before it is written. */
  readonly inDoubt: readonly HashInDoubt[];
}

/**
 * A hash whose custody figure may be wrong: it differs from the books, or the API did not know one of
 * its transactions.
 */
export interface HashInDoubt {
  readonly blockchainHash: BlockchainHash;
  /** Its transactions that count in the custody figures. */
  readonly counted: readonly CountedTransaction[];
}

/** A custody transaction that counts in the custody figures. */
export type CountedTransaction = Pick<
  CustodyEffectRow,
  'transactionId' | 'vaultId' | 'network' | 'blockchainHash'
>;

/** The body of a fact. `isWhole`: its length is the recorded one; else the store is damaged. */
export interface KeptBody {
  readonly bytes: Uint8Array;
  readonly isWhole: boolean;
}

/** A policy, and the one that it replaced; null for the first. */
export interface PolicyChange extends PolicyRow {
  readonly before: CreditingPolicy | null;
}

/** A page of found deposits, newest first. */
export interface DepositsFound {
  readonly items: readonly Deposit[];
  /** The deposit after which older deposits follow; null at the end. */
  readonly older: string | null;
  /** The deposit before which newer deposits precede; null at the beginning. */
  readonly newer: string | null;
  /**
   * When the last deposit that was read was first seen, where reading ended before the page was
   * full; null for a whole page. The next page continues there.
   */
  readonly searchedTo: number | null;
  /** Number of deposits on all pages; null where nobody counts them. */
  readonly total: number | null;
}

/** A fact in a deposit's life. */
export interface LifeFact {
  readonly seq: number;
  readonly kind: FactKind;
  /** Unix milliseconds. */
  readonly recordedAt: number;
  /** Of a decision: who made it. */
  readonly actor: string | null;
  /** Null for a body that is too long to show, or damaged. */
  readonly body: Uint8Array | null;
}

/** An entry that posted to a deposit's position. */
export interface LifeEntry {
  readonly seq: number;
  readonly view: View;
  /** Smallest unit. */
  readonly amount: Amount;
  readonly isReversal: boolean;
}

/** What the lives of a deposit and of a withdrawal share. */
interface Life {
  /** Its notifications, and a deposit's from the chain about its hash; oldest first. */
  readonly notifications: readonly StoredNotification[];
  readonly breaks: readonly {
    readonly found: Break;
    readonly history: readonly StoredBreakEvent[];
  }[];
  /** By journal position: the facts of all members, and custody records and decisions. */
  readonly facts: ReadonlyMap<number, LifeFact>;
  /** Whether more notifications, entries, postings or breaks exist than are listed. */
  readonly isCut: boolean;
}

/** Everything that the store knows about a deposit, for a person. */
export interface DepositLife extends Life {
  readonly deposit: Deposit;
  readonly entries: readonly LifeEntry[];
  readonly items: readonly (StoredCredit & { readonly seq: number })[];
  readonly acknowledgements: readonly {
    readonly creditId: string;
    readonly seq: number;
    readonly reference: string;
    /** Unix milliseconds. */
    readonly at: number;
  }[];
}

/** A posting of a withdrawal at a position, in the books. */
export interface WithdrawalPosting {
  readonly seq: number;
  readonly cause: EntryCause;
  readonly change: ChangeKind;
  readonly asset: string;
  /** Smallest unit; negative when it lowers the vault's balance. */
  readonly amount: Amount;
  readonly isReversal: boolean;
  /** Unix milliseconds. */
  readonly postedAt: number;
}

/** Everything that the store knows about a withdrawal, for a person. */
export interface WithdrawalLife extends Life {
  readonly withdrawal: Withdrawal;
  /** Hashes that it has, or that webhooks claim for it. */
  readonly ownHashes: readonly OwnHash[];
  readonly postings: readonly WithdrawalPosting[];
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
  readonly uncomparedMovements: number;
}

/** An address and the vault that it belongs to. */
export interface VaultAddress {
  readonly vaultId: VaultId;
  readonly addressId: AddressId;
}

/** What names a text or an amount. */
export interface Mentions {
  /** First those with the text as address, account, memo, owner, transaction or consumer's reference. */
  readonly deposits: readonly Deposit[];
  readonly withdrawals: readonly Withdrawal[];
  /** Unresolved breaks of the amount. */
  readonly breaks: readonly ShownBreak[];
  /** Whether the text is a vault's id. */
  readonly isVault: boolean;
}

/** What waits longest, and how much waits in all. */
export interface Oldest<Item> {
  readonly items: readonly Item[];
  readonly total: number;
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

/** A close's reading of the custody API's transactions list. Unix milliseconds. */
export interface ReadThrough {
  /** Rows that changed later were not read, by the service's clock; null: the list was empty. */
  readonly watermark: number | null;
  /** When it was read, by our clock. */
  readonly readAt: number;
}

/** The effect of one asset of a custody transaction on the closes so far. */
export type CountedRow = Pick<CustodyEffectRow, 'vaultId' | 'blockchainHash' | 'asset' | 'amount'>;

/** A decision, and the fact that holds it. */
export interface StoredDecision {
  readonly seq: number;
  /** Unix milliseconds. */
  readonly at: number;
  readonly actor: string;
  readonly decision: Decision;
}

/** Decisions in reverse order of the journal. */
export interface DecisionPage {
  readonly items: readonly StoredDecision[];
  /** The `before` of the next page; null after the last decision. */
  readonly next: number | null;
  /** Everybody who ever made one, in the order of their names. */
  readonly actors: readonly string[];
  /**
   * Actors with so many decisions of other kinds that the rest of theirs was not read. `before`: the
   * journal position from which it was not.
   */
  readonly unread: readonly { readonly actor: string; readonly before: number }[];
}
