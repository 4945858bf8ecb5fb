import type { Amount } from '../amount.ts';
import type { Break } from '../break.ts';
import type { CloseRecord, CustodyDatedBy, EffectKind } from '../close-record.ts';
import type { StandingExemption } from '../exemption.ts';
import type { HashKey, TransactionId } from '../ids.ts';
import type { Place, PositionLine } from '../roll-forward.ts';

/** What a transaction of the custody API counts for at a place. */
export interface CustodyPart extends Place {
  readonly amount: Amount;
  readonly transactionId: TransactionId;
  /** Null where only a day closed under rules 1 counted it. */
  readonly kind: EffectKind | null;
  /** When it moved, Unix milliseconds, and what that rests on; null where that is not known. */
  readonly at: number | null;
  readonly datedBy: CustodyDatedBy | null;
}

/** What a transaction of the custody API moved at a place after the cut-off. */
export interface MovedAfter extends Place {
  readonly transactionId: TransactionId;
  readonly amount: Amount;
  readonly at: number;
  readonly datedBy: CustodyDatedBy;
}

/** Everything that is known of one hash when a day is closed. */
export interface HashFacts extends HashKey {
  /** Its lines of both views, up to the close and not only to the cut-off. */
  readonly lines: readonly PositionLine[];
  /** Whether the hash is an own transaction's, by whoever may say so (`OwnBy`). */
  readonly own: boolean;
  /** What the custody API's transactions of this hash count for. */
  readonly custody: readonly CustodyPart[];
  /** Of these what moved after the cut-off; rules 1 look at none. */
  readonly after: readonly MovedAfter[];
}

/** What an explanation may look at beside the hash itself. */
export interface DifferenceContext {
  readonly record: CloseRecord;
  readonly breaksOf: (hash: HashKey) => readonly Break[];
  readonly exemptionsOf: (hash: HashKey) => readonly StandingExemption[];
}
