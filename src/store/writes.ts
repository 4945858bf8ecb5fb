import type { Break } from '../domain/break/break.ts';
import type { DailyReport } from '../domain/close/report.ts';
import type { Deposit } from '../domain/deposit/deposit.ts';
import type { ExemptDifference } from '../domain/break/exemption.ts';
import type { AssetId } from '../domain/ids.ts';
import type { Movement } from '../domain/money/movement.ts';
import type { OwnHash } from '../domain/withdrawal/own-hash.ts';
import type { Sighting } from '../domain/hash/sighting.ts';
import type { Withdrawal } from '../domain/withdrawal/withdrawal.ts';
import type { SealedPositions } from './close-source.ts';
import type {
  StoredBreakEvent,
  JournalRow,
  HashRow,
  NotificationRow,
  RestoreRow,
  QuarantineRow,
  DecimalsCorrectionRow,
  TokenChangeRow,
  PolicyRow,
  ExemptionRulesRow,
  ReconciliationRow,
  DailyCloseRow,
  CustodyEffectRow,
  SignatureRow,
  PostedEntry,
  FeedItem,
  AcknowledgementRow,
  DeliveryOutcome,
  MovementCounts,
  LookRound,
} from './records.ts';

/** A changed deposit and its stored version; `before` is undefined where the deposit is new. */
export interface DepositChange {
  readonly after: Deposit;
  readonly before: Deposit | undefined;
  /** The first fact that changed the deposit in this batch; for a new one, its first fact. */
  readonly seq: number;
}

/** What a transaction writes: records replace those of the same key, the rest is appended. */
export interface Writes {
  /** The last fact that was journalled, in these writes or before. */
  readonly headSeq: number;
  readonly journal: readonly JournalRow[];
  /** New hashes, in the order in which facts named them. Every other row is about a known hash. */
  readonly hashes: readonly HashRow[];
  readonly notifications: readonly NotificationRow[];
  readonly quarantine: readonly QuarantineRow[];
  readonly entries: readonly PostedEntry[];
  readonly sightings: readonly Sighting[];
  readonly deposits: readonly DepositChange[];
  readonly withdrawals: readonly Withdrawal[];
  readonly ownHashes: readonly OwnHash[];
  readonly movements: readonly Movement[];
  readonly movementCounts: ReadonlyMap<keyof MovementCounts, number>;
  readonly assets: ReadonlyMap<AssetId, number>;
  readonly feed: readonly FeedItem[];
  readonly acknowledgements: readonly AcknowledgementRow[];
  readonly breaks: readonly Break[];
  readonly breakEvents: readonly StoredBreakEvent[];
  readonly reconciliations: readonly ReconciliationRow[];
  readonly policies: readonly PolicyRow[];
  readonly decimalsCorrections: readonly DecimalsCorrectionRow[];
  readonly tokenChanges: readonly TokenChangeRow[];
  readonly restores: readonly RestoreRow[];
  readonly exemptionRules: readonly ExemptionRulesRow[];
  /** By key; null where a difference is no longer exempt. */
  readonly exemptDifferences: ReadonlyMap<string, ExemptDifference | null>;
  readonly closes: readonly {
    readonly row: DailyCloseRow;
    readonly totals: DailyReport['totals'];
    readonly positions: SealedPositions;
  }[];
  readonly custodyEffects: readonly CustodyEffectRow[];
  readonly signatures: readonly SignatureRow[];
  /** Where the round has come to; null where it has not moved. */
  readonly lookRound: LookRound | null;
  readonly intakeCounts: ReadonlyMap<DeliveryOutcome, number>;
}
