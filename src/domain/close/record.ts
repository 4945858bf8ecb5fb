import type { Amount } from '../money/amount.ts';
import type { AssetId, BlockchainHash, NetworkKey, TransactionId, VaultId } from '../ids.ts';

/** What one custody API transaction counts for now; empty when it moved nothing. */
export interface CountedEffect {
  readonly transactionId: TransactionId;
  readonly vaultId: VaultId;
  readonly network: NetworkKey;
  /** Its hash, or its own id when the API names none. */
  readonly blockchainHash: BlockchainHash;
  readonly amounts: readonly { readonly asset: AssetId; readonly amount: Amount }[];
  /** Its last change, by the custody service's clock. */
  readonly updatedAt: number;
  /** Absent in days closed under rules 1. */
  readonly kind?: EffectKind;
  /**
   * When it moved, and the source of that time. Absent without a readable time, and in days closed
   * under rules 1.
   */
  readonly at?: number;
  readonly datedBy?: CustodyDatedBy;
  /** The list lacked it or showed an older version; the close found it by its hash. */
  readonly isLate?: true;
}

/** The source of a custody transaction's time: its block, or its record. */
export type CustodyDatedBy = 'block' | 'custody';

/**
 * The kind of a custody API transaction: an own debit, a receipt, or change to another address of
 * the vault.
 */
export type EffectKind = 'outgoing' | 'incoming' | 'change';

/**
 * What a close read from the custody API's transactions list. `counted`: transactions whose effect
 * differs from earlier closes. `pending`: hashes with a final status whose balance changes are not
 * published yet (spec, conservation rule 6), and those with a difference whose transactions the API
 * shows in progress.
 */
export type CustodyReading =
  | {
      readonly kind: 'read';
      readonly readAt: number;
      readonly requests: number;
      /**
       * Where the next close continues reading, by the custody service's clock; null: from the
       * start.
       */
      readonly watermark: number | null;
      readonly transactions: number;
      readonly unreadable: number;
      readonly counted: readonly CountedEffect[];
      readonly pending: readonly BlockchainHash[];
    }
  /** Not compared is never "matched": the report gives the reason. */
  | {
      readonly kind: 'not_read';
      readonly reason: string;
      /** False when no custody API is configured. */
      readonly configured?: false;
    };

/**
 * The fact that closes a day. The day is the journal after the last close up to `throughSeq`, where
 * the clock passed the cut-off. `seal` is the commit that sealed that journal position.
 */
export interface CloseRecord {
  readonly kind: 'close';
  /** `YYYY-MM-DD` in `timezone`. */
  readonly day: string;
  readonly timezone: string;
  /** The first instant of the next day there, Unix milliseconds. */
  readonly cutOffAt: number;
  /** Grace period: a younger difference is not reported. */
  readonly graceMs: number;
  readonly throughSeq: number;
  /** 0 and the genesis hash when nothing was sealed before the cut-off. */
  readonly seal: { readonly commitNumber: number; readonly hash: string };
  readonly custody: CustodyReading;
  /** Names of vaults by id, from the custody API; absent when unknown. */
  readonly vaultNames?: Readonly<Record<string, string>>;
  /**
   * Counts of exempt differences at the close, by rule. Absent in older days, and in days closed
   * late, where today's counts would not fit.
   */
  readonly exempt?: Readonly<Record<string, number>>;
  /**
   * A rule explains the differences that it exempts. Absent in older days: their replay gives the
   * text that was sealed and signed.
   */
  readonly exemptionsExplain?: true;
  /**
   * Movements that the last comparison subtracted are subtracted again while they are after the
   * cut-off. Absent in older days: their replay gives the text that was sealed and signed.
   */
  readonly carriesAfterCutOff?: true;
  /**
   * A movement at custody after the cut-off explains a difference only if both sides agree by now, or
   * if nothing of it is left there. Absent in older days: their replay gives the text that was sealed
   * and signed.
   */
  readonly timingAgrees?: true;
  /**
   * Of the breaks that a person resolved, only those about amounts or a status explain a difference.
   * Absent in older days: their replay gives the text that was sealed and signed.
   */
  readonly resolvedAreCompared?: true;
  /**
   * The version of the report's rules. Absent in days closed under rules 1: their replay gives the
   * text that was sealed and signed.
   */
  readonly rules?: 2;
  /**
   * The journal position and the time (Unix milliseconds) that the report was computed at: facts
   * after it belong to the next day. Absent in older facts: their report counts every fact before
   * them.
   */
  readonly asOf?: { readonly seq: number; readonly at: number };
}

/** What the rules read of the last close. */
export interface ClosedDay {
  readonly day: string;
  readonly cutOffAt: number;
  readonly throughSeq: number;
}

/**
 * Whether a day may be closed: after its cut-off, in order, once, and ending where the clock passed
 * the cut-off. `times`: when the facts at `throughSeq` and after it were recorded, Unix
 * milliseconds.
 */
export function mayClose(
  record: CloseRecord,
  context: {
    last: ClosedDay | undefined;
    at: number;
    seq: number;
    times: { through: number | undefined; next: number | undefined };
  },
): boolean {
  const { last, at, seq, times } = context;
  if (at < record.cutOffAt || record.throughSeq >= seq) return false;
  if (last !== undefined) {
    if (record.day <= last.day || record.cutOffAt <= last.cutOffAt) return false;
    if (record.throughSeq < last.throughSeq) return false;
  }
  const isNew = record.throughSeq > (last?.throughSeq ?? 0);
  if (isNew && (times.through === undefined || times.through >= record.cutOffAt)) return false;
  return record.throughSeq + 1 === seq || (times.next ?? 0) >= record.cutOffAt;
}

/** Who signs a report: first the preparer, then the reviewer. */
export const SIGNATURE_ROLES = ['preparer', 'reviewer'] as const;
export type SignatureRole = (typeof SIGNATURE_ROLES)[number];
