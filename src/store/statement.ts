import type { Amount } from '../domain/money/amount.ts';
import type { EntryCause, EntrySource, View } from '../domain/money/entry.ts';
import type { ChangeKind } from '../domain/fact/notification.ts';
import type { Page } from './page.ts';

/** A position of the ledger. Every part but the vault and the asset may be null. */
export interface Position {
  readonly vaultId: string;
  readonly accountId: string | null;
  readonly addressId: string | null;
  readonly memo: string | null;
  readonly asset: string;
}

/** Selects one position and a period. */
export interface StatementQuery extends Position {
  readonly view: View;
  /** Unix milliseconds, inclusive. */
  readonly from: number;
  /** Unix milliseconds, exclusive. */
  readonly to: number;
}

/** The members of an entry that its lines repeat. */
export interface EntryOrigin {
  readonly entryId: number;
  /** Journal position of the entry's fact. */
  readonly seq: number;
  /** Unix milliseconds. */
  readonly postedAt: number;
  readonly cause: EntryCause;
  /** Who reported it. */
  readonly source: EntrySource;
  readonly transactionId: string | null;
  /** Id of the webhook that reported it; null when a person or the custody API did. */
  readonly notificationId: string | null;
  /** Id of the entry that it reverses; null for none. */
  readonly reverses: number | null;
}

/** One posting of a position, in the order of the journal. */
export interface StatementLine extends EntryOrigin {
  /** Number of the posting in its entry. */
  readonly line: number;
  readonly change: ChangeKind;
  readonly network: string;
  readonly blockchainHash: string;
  /** Smallest unit; negative when it lowers the balance. */
  readonly amount: Amount;
  /** The position's balance after this line, smallest unit. */
  readonly balance: Amount;
}

/** A page of the lines of a position's statement. `opening` + all lines = `closing`, exactly. */
export interface Statement extends Page<StatementLine> {
  readonly kind: 'statement';
  /** The balance before `from`, smallest unit. */
  readonly opening: Amount;
  /** The balance before `to`, smallest unit. */
  readonly closing: Amount;
  /** The last fact of the journal that the statement could see. */
  readonly journalSeq: number;
}

/** A period that would take too long to read. */
export interface StatementTooLong {
  readonly kind: 'too_long';
  /** `postings`: the position has more than `max` since the beginning of the period. */
  readonly limit: 'lines' | 'postings';
  readonly max: number;
  /** The latest end with which the same beginning fits, Unix milliseconds; null for none. */
  readonly fitsUntil: number | null;
}

/** `unknown`: nothing was ever posted at the position. */
export type StatementAnswer = Statement | StatementTooLong | { readonly kind: 'unknown' };
