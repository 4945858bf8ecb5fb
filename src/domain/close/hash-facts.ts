import type { Amount } from '../money/amount.ts';
import type { Break } from '../break/break.ts';
import type { ReadingByHash } from './reading-by-hash.ts';
import type { CloseRecord, CustodyDatedBy, EffectKind } from './record.ts';
import type { ActiveExemption } from '../break/exemption.ts';
import type { HashKey, TransactionId } from '../ids.ts';
import type { VaultAsset, PositionLine } from '../money/roll-forward.ts';

/** What a custody API transaction counts for in one vault and asset. */
export interface CustodyPart extends VaultAsset {
  readonly amount: Amount;
  readonly transactionId: TransactionId;
  /** Null when only a day under rules 1 counted it. */
  readonly kind: EffectKind | null;
  /** When it moved, Unix milliseconds, and the source of that time; null when unknown. */
  readonly at: number | null;
  readonly datedBy: CustodyDatedBy | null;
}

/** What a custody API transaction moved after the cut-off, by vault and asset. */
export interface MovedAfter extends VaultAsset {
  readonly transactionId: TransactionId;
  readonly amount: Amount;
  readonly at: number;
  readonly datedBy: CustodyDatedBy;
}

/** Everything known about one hash when a day is closed. */
export interface HashFacts extends HashKey {
  /** Its lines of both views up to the close, not only to the cut-off. */
  readonly lines: readonly PositionLine[];
  /** Whether the hash is an own transaction's, by the required evidence (`OwnEvidence`). */
  readonly own: boolean;
  /** What the custody API's transactions of this hash count for. */
  readonly custody: readonly CustodyPart[];
  /** The part of `custody` after the cut-off; rules 1 read none. */
  readonly after: readonly MovedAfter[];
}

/** What an explanation reads besides the hash. */
export interface DifferenceContext {
  readonly record: CloseRecord;
  readonly reading: ReadingByHash;
  readonly breaksOf: (hash: HashKey) => readonly Break[];
  readonly exemptionsOf: (hash: HashKey) => readonly ActiveExemption[];
}
