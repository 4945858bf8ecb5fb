import type { Break } from '../domain/break/break.ts';
import type { OwnBy } from '../domain/close/own-legs.ts';
import type { ExemptDifference, ExemptionRule } from '../domain/break/exemption.ts';
import type {
  AssetId,
  BlockchainHash,
  BreakId,
  TransactionId,
  HashKey,
  VaultId,
} from '../domain/ids.ts';
import type { PositionLine } from '../domain/money/roll-forward.ts';
import type { JournalRow, DailyCloseRow, CustodyEffectRow, SignatureRow } from './records.ts';

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
