import type { Amount } from './amount.ts';
import type { AssetId, BlockchainHash, NetworkKey, TransactionId, VaultId } from './ids.ts';

/** What the custody API's word on one transaction is worth now; empty when it moved nothing. */
export interface CountedEffect {
  readonly transactionId: TransactionId;
  readonly vaultId: VaultId;
  readonly network: NetworkKey;
  /** Its hash, or its own id where the API names none. */
  readonly blockchainHash: BlockchainHash;
  readonly amounts: readonly { readonly asset: AssetId; readonly amount: Amount }[];
  /** When it changed last, by the custody service's clock. */
  readonly updatedAt: number;
  /** Absent in days closed under rules 1. */
  readonly kind?: EffectKind;
  /**
   * When it moved, and what that rests on; absent where the API tells no time that can be read, and
   * in days closed under rules 1.
   */
  readonly at?: number;
  readonly datedBy?: CustodyDatedBy;
}

/** What the time of a custody transaction rests on: its block's time, or its record's own. */
export type CustodyDatedBy = 'block' | 'custody';

/**
 * What a transaction of the custody API is to the books: an own debit, a receipt, or change that
 * came back to another address of the vault.
 */
export type EffectKind = 'outgoing' | 'incoming' | 'change';

/**
 * What a close learned from the custody API's transactions list. `counted`: the transactions whose
 * effect differs from what the closes before had counted. `pending`: hashes in a final status whose
 * balance changes are not published yet (spec, conservation rule 6).
 */
export type CustodyReading =
  | {
      readonly kind: 'read';
      readonly readAt: number;
      readonly requests: number;
      /** From where the next close must read on, by the custody service's clock; null: all. */
      readonly watermark: number | null;
      readonly transactions: number;
      readonly unreadable: number;
      readonly counted: readonly CountedEffect[];
      readonly pending: readonly BlockchainHash[];
    }
  /** Not compared is never "matched": the report says why. */
  | {
      readonly kind: 'not_read';
      readonly reason: string;
      /** False where there is no custody API that could be asked at all. */
      readonly configured?: false;
    };

/**
 * The fact that closes a day. The day is the part of the journal after the last close up to
 * `throughSeq`, where the clock passed the cut-off; `seal` is the commit that sealed that place.
 */
export interface CloseRecord {
  readonly kind: 'close';
  /** `YYYY-MM-DD` in `timezone`. */
  readonly day: string;
  readonly timezone: string;
  /** The first instant of the next day there, Unix milliseconds. */
  readonly cutOffAt: number;
  /** How long a difference may be young before it is one. */
  readonly graceMs: number;
  readonly throughSeq: number;
  /** 0 and the genesis hash while nothing was sealed before the cut-off. */
  readonly seal: { readonly commitNumber: number; readonly hash: string };
  readonly custody: CustodyReading;
  /** Names of vaults by id, as the custody API told them; absent where it told none. */
  readonly vaultNames?: Readonly<Record<string, string>>;
  /**
   * Differences that were exempt when the day was closed, by rule. Absent in days closed before this
   * was told, and where today's say nothing of the day because it was closed late.
   */
  readonly exempt?: Readonly<Record<string, number>>;
  /**
   * A difference that a rule exempts is explained by it. Absent in days closed before that was so:
   * their replay gives the text that was sealed and signed.
   */
  readonly exemptionsExplain?: true;
  /**
   * The number of the rules that the report is made by. Absent in days closed under rules 1: their
   * replay gives the text that was sealed and signed.
   */
  readonly rules?: 2;
}

/** What the rules need of the last close. */
export interface ClosedDay {
  readonly day: string;
  readonly cutOffAt: number;
  readonly throughSeq: number;
}

/**
 * Whether a day may be closed: after its cut-off, in order, once, and with its end where the clock
 * passed the cut-off. `times`: when the facts at `throughSeq` and after it were recorded.
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

/** Who signs a report: first who prepared it, then who reviewed it. */
export const SIGNATURE_ROLES = ['preparer', 'reviewer'] as const;
export type SignatureRole = (typeof SIGNATURE_ROLES)[number];
