import type { Break, BreakType, Severity } from '../domain/break/break.ts';
import type { Deposit } from '../domain/deposit/deposit.ts';
import type { HashState } from '../domain/hash/hash-state.ts';
import type { ExemptDifference } from '../domain/break/exemption.ts';
import type {
  AssetId,
  BlockchainHash,
  BreakId,
  CreditId,
  DepositId,
  NetworkKey,
  TransactionId,
} from '../domain/ids.ts';
import type { Movement, MovementKey } from '../domain/money/movement.ts';
import type { OwnHash } from '../domain/withdrawal/own-hash.ts';
import type { Withdrawal } from '../domain/withdrawal/withdrawal.ts';
import type { CloseSource } from './close-source.ts';
import type {
  QuarantineRow,
  PolicyRow,
  TokenChangeRow,
  ExemptionRulesRow,
  MovementCounts,
  LookRound,
} from './records.ts';

/** What is known of a hash. `isStored`: some fact has named it. */
export interface StoredHashState extends HashState {
  readonly isStored: boolean;
}

export interface Idle<Item> {
  readonly oldest: readonly Item[];
  readonly total: number;
}

/**
 * What the rules may ask of a store, answered inside the writer's transaction. Handlers that read
 * lists of records flush first, before they change anything.
 *
 * A store with asynchronous reads answers from a snapshot. When the snapshot lacks an answer, the
 * store stops the batch with an error, loads the answer, and gives the batch to a new bookkeeper.
 * This works because a bookkeeper has no state outside these answers. Evidence and decisions then
 * need a commit of their own.
 */
export interface RecordSource {
  /** The journal position of the fact that took this id. */
  seen(id: string): number | undefined;
  /** The journalled bytes of a fact. */
  body(seq: number): Uint8Array | undefined;
  keptAside(id: string, digest: string): boolean;
  quarantine(quarantineId: string): (QuarantineRow & { readonly body: Uint8Array }) | undefined;
  hashState(network: NetworkKey, hash: BlockchainHash): StoredHashState;
  withdrawal(transactionId: TransactionId): Withdrawal | undefined;
  /** Every hash that a transaction has or had, or that somebody claimed for it. */
  ownHashesOf(transactionId: TransactionId): readonly OwnHash[];
  deposit(depositId: DepositId): Deposit | undefined;
  /** The last change of a token that was made at run time. */
  tokenChange(name: string): TokenChangeRow | undefined;
  /** How many items the credit feed has. */
  feedLength(): number;
  depositOfCredit(creditId: CreditId): DepositId | undefined;
  /** The reference that a credit was acknowledged with, active or reversed. */
  acknowledgedAs(creditId: CreditId): string | undefined;
  /** Deposits that a change of policy can affect, in the order of their hashes. */
  depositsToJudge(limit: number): readonly Deposit[];
  movement(key: MovementKey): Movement | undefined;
  /** Movements that differ, changed at `until` or before, and were not compared since; oldest first. */
  movementsToJudge(due: { readonly until: number; readonly limit: number }): readonly Movement[];
  /** Agreeing movements that a run found differing, the oldest first. */
  movementsToHeal(limit: number): readonly Movement[];
  /** See `MovementCounts`. */
  movementCounts(): MovementCounts;
  unresolvedBreak(key: string): Break | undefined;
  unresolvedBreaks(types: readonly BreakType[]): readonly Break[];
  /** Unresolved breaks after one of them: by type, the oldest first. */
  unresolvedBreaksAfter(
    breakId: BreakId | null,
    about: { readonly types: readonly BreakType[]; readonly limit: number },
  ): readonly Break[];
  unresolvedCount(types: readonly BreakType[]): number;
  break(breakId: BreakId): Break | undefined;
  /** Unresolved breaks of these severities, opened at `openedUntil` or before; the oldest first. */
  breaksOpenedUntil(due: {
    readonly severity: Severity;
    readonly originalSeverity: Severity;
    readonly openedUntil: number;
    readonly limit: number;
  }): readonly Break[];
  /**
   * Waiting deposits that have not changed since `until`, sorted by the hour of their last change and
   * then by their first fact, and how many there are in all.
   */
  idleDeposits(until: number, limit: number): Idle<Deposit>;
  /** The same for withdrawals without a final status. */
  idleWithdrawals(until: number, limit: number): Idle<Withdrawal>;
  pinnedDecimals(asset: AssetId): number | undefined;
  policy(): PolicyRow | undefined;
  exemptionRules(): ExemptionRulesRow | undefined;
  exemptDifference(key: string): ExemptDifference | undefined;
  /** Exempt differences by key, after one of them. */
  exemptDifferencesAfter(key: string | null, limit: number): readonly ExemptDifference[];
  /** How many differences of these types each rule exempts. */
  exemptCounts(types: readonly BreakType[]): Readonly<Record<string, number>>;
  lookRound(): LookRound;
  readonly closes: CloseSource;
}
