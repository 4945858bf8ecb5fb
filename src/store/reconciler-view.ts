import type { Break } from '../domain/break/break.ts';
import type { ExemptDifference, ExemptionRule } from '../domain/break/exemption.ts';
import type { Deposit } from '../domain/deposit/deposit.ts';
import type { Shown } from '../domain/deposit/record/comparison.ts';
import type { KeyedHashState } from '../domain/hash/hash-state.ts';
import type { AssetId, HashKey, NetworkKey, TransactionId, VaultId } from '../domain/ids.ts';
import type { CreditingPolicy } from '../domain/policy/policy.ts';
import type { Withdrawal } from '../domain/withdrawal/withdrawal.ts';

/** The last rollback of an incoming transaction under a hash. */
export interface LastRollback extends HashKey {
  readonly vaultId: VaultId;
  /** Null: the rollback names none, so it may be that of every transaction there. */
  readonly transactionId: TransactionId | null;
  /** Its journal position. */
  readonly seq: number;
  /** Whether it is a webhook that repeats a rollback, so that it began no epoch. */
  readonly isRepeat: boolean;
}

/** An own transaction that had no hash when the custody API last showed it. */
export type UnsentTransfer = Pick<Withdrawal, 'transactionId' | 'destinationAddress' | 'memo'> & {
  readonly network: NetworkKey;
};

/** An incoming transaction, and the hash and position at which the custody API shows it. */
export type Received = Shown & { readonly transactionId: TransactionId };

/** The records that a comparison reads, from one snapshot. */
export interface ReconcilerView {
  readonly hashStates: readonly KeyedHashState[];
  /** The last `incoming` rollbacks after the given journal position. */
  readonly rollbacks: readonly LastRollback[];
  /** Deposits of the given transactions that were verified or credited at another hash or position. */
  readonly verifiedElsewhere: readonly Deposit[];
  readonly withdrawals: readonly Withdrawal[];
  /** Own transactions without a hash, if they were asked for. */
  readonly unsent: readonly UnsentTransfer[];
  /** Unresolved breaks that a comparison can open, change or resolve, by key. */
  readonly openBreaks: ReadonlyMap<string, Break>;
  readonly pinnedDecimals: ReadonlyMap<AssetId, number>;
  readonly policy: CreditingPolicy | null;
  readonly exemptions: readonly ExemptionRule[];
  /** Exempt differences, by key. */
  readonly exempt: ReadonlyMap<string, ExemptDifference>;
}
