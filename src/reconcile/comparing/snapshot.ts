import type { Break } from '../../domain/break/break.ts';
import type { ExemptDifference, ExemptionRule, Exemptions } from '../../domain/break/exemption.ts';
import type { Deposit } from '../../domain/deposit/deposit.ts';
import type { OpenSince } from '../../domain/deposit/record/comparison.ts';
import type { CustodyTransaction } from '../../domain/fact/custody-record.ts';
import type { KeyedHashState } from '../../domain/hash/hash-state.ts';
import { sightingAt } from '../../domain/fact/backfill.ts';
import type { Sighting } from '../../domain/hash/sighting.ts';
import type { AssetId, TransactionId } from '../../domain/ids.ts';
import type { CreditingPolicy } from '../../domain/policy/policy.ts';
import type { Withdrawal } from '../../domain/withdrawal/withdrawal.ts';
import type { LastRollback, UnsentTransfer } from '../../store/reconciler-view.ts';

/** Our records at one moment. The writer applies the rules again to the records at commit time. */
export interface Snapshot {
  readonly hashStates: ReadonlyMap<string, KeyedHashState>;
  readonly withdrawals: ReadonlyMap<TransactionId, Withdrawal>;
  /** Hash states of all hashes that a transaction has or is claimed to have. */
  readonly ownHashes: ReadonlyMap<TransactionId, readonly KeyedHashState[]>;
  /** The last rollbacks since the oldest row was requested, by hash. */
  readonly rollbacks: ReadonlyMap<string, readonly LastRollback[]>;
  /** Deposits of a row's transaction that were verified or credited at another hash or position. */
  readonly verifiedElsewhere: ReadonlyMap<string, readonly Deposit[]>;
  /** When each transaction was first read after its last rollback, Unix milliseconds. */
  readonly readSince: ReadonlyMap<TransactionId, number>;
  /** Own transactions that had no hash when the custody API last showed them. */
  readonly unsent: readonly UnsentTransfer[];
  readonly openBreaks: ReadonlyMap<string, Break>;
  readonly pinnedDecimals: ReadonlyMap<AssetId, number>;
  readonly policy: CreditingPolicy;
  readonly exemptions: readonly ExemptionRule[];
  /** Recorded exempt differences, by key. */
  readonly exempt: ReadonlyMap<string, ExemptDifference>;
  readonly at: number;
  readonly graceMs: number;
}

/**
 * Most rollbacks of a position that delay its credit. Without a limit, a forger could delay the
 * credit for as long as he sends. After them an older row may credit, so the limit is far above what
 * a chain does to one transaction.
 */
const ROLLBACKS_MAX = 50;

/** Whether a position was rolled back so often that the API's rows alone count. */
export function hasManyEpochs(epoch: number): boolean {
  return epoch > ROLLBACKS_MAX;
}

/** The map key of a hash on its network. */
export function hashKeyOf(row: Pick<CustodyTransaction, 'network' | 'blockchainHash'>): string {
  return `${row.network}\u0000${row.blockchainHash ?? ''}`;
}

/** What incoming webhooks reported at an incoming row's position. */
export function incomingSighting(
  row: CustodyTransaction,
  { hashStates }: Pick<Snapshot, 'hashStates'>,
): Sighting | undefined {
  const hashState = hashStates.get(hashKeyOf(row));
  if (row.type !== 'incoming' || hashState === undefined) return undefined;
  return sightingAt(hashState, row);
}

/** When each open break was opened, Unix milliseconds. */
export function openSinceIn({ openBreaks }: Snapshot): OpenSince {
  return (key) => openBreaks.get(key)?.openedAt;
}

/** The exemption rules, and when the snapshot was taken. */
export function rulesOf({ exemptions, at }: Snapshot): Exemptions {
  return { rules: exemptions, at };
}
