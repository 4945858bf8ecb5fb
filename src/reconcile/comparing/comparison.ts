import type { AddressEvidence } from '../../domain/chain/address-evidence.ts';
import { saysNothingNew } from '../../domain/break/break.ts';
import {
  hasLasted,
  isMisnamed,
  isRenamed,
  mayCorrect,
  skipped,
  type Outcome,
} from '../../domain/deposit/record/comparison.ts';
import type { CustodyRecord, CustodyTransaction } from '../../domain/fact/custody-record.ts';
import { epochOf } from '../../domain/fact/backfill.ts';
import { handleAddressRecord } from '../../domain/chain/address-handler.ts';
import { asOfDeposit } from '../../domain/deposit/record/gone-elsewhere.ts';
import {
  handleDepositRecord,
  handleUnseenRecord,
} from '../../domain/deposit/record/verification.ts';
import {
  handleOutgoingRecord,
  handleUnknownTransaction,
} from '../../domain/withdrawal/record-handler.ts';
import type { Deposit } from '../../domain/deposit/deposit.ts';
import {
  EMPTY_HASH_STATE,
  isEmpty,
  type ChangeSet,
  type RuleContext,
  type KeyedHashState,
} from '../../domain/hash/hash-state.ts';
import { IdMint } from '../../domain/ids.ts';
import { isOnRecord, parted, underRules } from '../../domain/break/exemption.ts';
import { sameHash } from '../../domain/withdrawal/own-hash.ts';
import type { Withdrawal } from '../../domain/withdrawal/withdrawal.ts';
import { hashKeyOf, openSinceIn, rulesOf, hasManyEpochs, type Snapshot } from './snapshot.ts';

/** The epoch that a record is about; the writer drops the record in another one. */
function onlyInEpoch(epoch: number): { readonly epoch?: number } {
  return hasManyEpochs(epoch) ? {} : { epoch };
}

/** The record by which the API's row verifies or corrects a deposit; null: it answered 404. */
export function depositRecord(
  { depositId, epoch }: Deposit,
  transaction: CustodyTransaction | null,
  { graceMs }: Pick<Snapshot, 'graceMs'>,
): CustodyRecord {
  return {
    kind: 'deposit',
    depositId,
    transaction,
    graceMs,
    corrects: true,
    expires: true,
    ...onlyInEpoch(epoch),
  };
}

export type Backfill = Extract<CustodyRecord, { kind: 'backfill' }>;

/** One comparison: its outcome, and the record to journal when it changes something. */
export interface Compared {
  readonly outcome: Outcome;
  readonly record: CustodyRecord | null;
  /** What books the transaction whose notification is overdue, if any. */
  readonly missed: Backfill | null;
  /** The row when it must be compared again: not comparable yet, or not repaired yet. */
  readonly again: CustodyTransaction | null;
}

/** Follow-up of a row's outcome, besides its record. */
function followUp(
  outcome: Outcome,
  transaction: CustodyTransaction | null,
  snapshot: Snapshot,
  deposit?: Deposit,
): Pick<Compared, 'missed' | 'again'> {
  if (transaction === null) return { missed: null, again: null };
  const missed = isMissed(outcome, transaction, snapshot);
  if (missed && deposit && mayPrecedeNews(outcome, { transaction, deposit, snapshot })) {
    return { missed: null, again: transaction };
  }
  const again = missed || mayBeComparedLater(outcome);
  const subject = deposit === undefined ? transaction : asOfDeposit(deposit, transaction);
  return {
    missed: missed ? backfillOf(subject, snapshot) : null,
    again: again ? transaction : null,
  };
}

function backfillOf(transaction: CustodyTransaction, { hashStates }: Snapshot): Backfill {
  if (transaction.type === 'outgoing') return { kind: 'backfill', transaction };
  const hashState = hashStates.get(hashKeyOf(transaction)) ?? EMPTY_HASH_STATE;
  return { kind: 'backfill', transaction, ...onlyInEpoch(epochOf(hashState, transaction)) };
}

/** Skip causes that may end without another change of the row. */
function mayBeComparedLater(outcome: Outcome): boolean {
  if (outcome.kind !== 'skipped') return false;
  const { cause } = outcome;
  return cause === 'balance_changes_pending' || cause === 'in_grace' || cause === 'unknown_status';
}

/** Whether notifications are missing in whole or in part: replay and backfill may bring them. */
function isMissed(
  outcome: Outcome,
  transaction: CustodyTransaction,
  { at, graceMs }: Snapshot,
): boolean {
  if (outcome.kind !== 'break') return false;
  const { type } = outcome.finding;
  if (type === 'missing_notification') return true;
  if (type !== 'status_mismatch') return false;
  // A lost rollback leaves a deposit confirmed on our side; a lost confirmation after a rollback
  // leaves it rolled back. The API decides both.
  const overdue = at - transaction.updatedAt >= graceMs;
  return transaction.status === 'rolledback' || (transaction.status === 'confirmed' && overdue);
}

/**
 * Whether a rolled-back row may be as it was before the deposit was mined again: we heard of the
 * deposit after the rollback that the row shows. A backfill would reverse a valid credit. If the
 * break lasts for the grace period, the row counts: news may arrive late, and clocks differ.
 */
function mayPrecedeNews(
  outcome: Outcome,
  context: { transaction: CustodyTransaction; deposit: Deposit; snapshot: Snapshot },
): boolean {
  const { transaction, deposit, snapshot } = context;
  if (outcome.kind !== 'break' || transaction.status !== 'rolledback') return false;
  if (transaction.updatedAt >= deposit.updatedAt) return false;
  return !hasLasted(outcome.finding, openSinceIn(snapshot), snapshot);
}

/** A dry run: ids minted here are discarded; only the resulting changes count. */
function rehearsal(snapshot: Snapshot): RuleContext {
  return {
    at: snapshot.at,
    source: 'api',
    mint: new IdMint(0, (text) => text),
    policy: snapshot.policy,
    pinnedDecimals: (asset) => snapshot.pinnedDecimals.get(asset),
  };
}

/** Whether breaks would be opened, updated, exempted or resolved. */
function movesBreaks(changes: ChangeSet, snapshot: Snapshot): boolean {
  const { openBreaks } = snapshot;
  const { found, exempt } = parted(changes.found, rulesOf(snapshot));
  return (
    changes.healed.some(({ key }) => openBreaks.has(key) || snapshot.exempt.has(key)) ||
    found.some((one) => !saysNothingNew(openBreaks.get(one.key), one)) ||
    exempt.some((one) => !isOnRecord(snapshot.exempt.get(one.finding.key), one))
  );
}

function movesDeposit(before: Deposit, changes: ChangeSet): boolean {
  return changes.deposits.some(
    (after) =>
      after.state !== before.state ||
      after.reason !== before.reason ||
      after.credit?.creditId !== before.credit?.creditId ||
      (before.verifiedAt !== null && after.verifiedAt === null) ||
      // A later approval must not credit by a depth that the API no longer shows.
      after.custodyConfirmations < before.custodyConfirmations ||
      // Its credit, which may be due later, needs the on-chain address.
      (before.verifiedAt !== null && before.networkAddress !== after.networkAddress) ||
      // A held or internal deposit is looked up until it has matched once; the match is journalled.
      ((before.state === 'held' || before.state === 'internal') &&
        before.matchedAt === null &&
        after.matchedAt !== null),
  );
}

/** Compares a deposit with its custody record, or with a look-up's 404 (`null`). */
export function compareDepositRow(
  deposit: Deposit,
  transaction: CustodyTransaction | null,
  snapshot: Snapshot,
): Compared {
  const { outcome: compared, ...changes } = handleDepositRecord(deposit, transaction, {
    graceMs: snapshot.graceMs,
    now: rehearsal(snapshot),
    correcting: {
      hashState: snapshot.hashStates.get(hashKeyOf(deposit)) ?? EMPTY_HASH_STATE,
      openSince: openSinceIn(snapshot),
    },
    expires: true,
  });
  const outcome = underRules(compared, rulesOf(snapshot));
  const matters =
    movesDeposit(deposit, changes) || changes.entries.length > 0 || movesBreaks(changes, snapshot);
  return {
    outcome,
    record: matters ? depositRecord(deposit, transaction, snapshot) : null,
    ...followUp(outcome, transaction, snapshot, deposit),
  };
}

/** Hash states of every hash claimed for a transaction, and of its record's own hash. */
function hashesOf(record: CustodyTransaction, snapshot: Snapshot): readonly KeyedHashState[] {
  const said = snapshot.ownHashes.get(record.transactionId) ?? [];
  const { network, blockchainHash } = record;
  if (blockchainHash === null || said.some((hash) => sameHash(hash, record))) return said;
  const hashState = snapshot.hashStates.get(hashKeyOf(record)) ?? EMPTY_HASH_STATE;
  return [...said, { ...hashState, network, blockchainHash }];
}

/**
 * Compares a withdrawal that the API does not know, or knows as a different transaction.
 * `isReleased`: whether that may end the withdrawal's claim to a deposit. If not, it is compared
 * again later: the deposit would be credited although its hash may be our own.
 */
export function compareUnknownTransaction(
  withdrawal: Withdrawal,
  context: { snapshot: Snapshot; isReleased: (deposit: Deposit) => boolean },
): Compared {
  const { snapshot, isReleased } = context;
  const { transactionId } = withdrawal;
  const hashes = snapshot.ownHashes.get(transactionId) ?? [];
  const now = rehearsal(snapshot);
  const { outcome: compared, ...changes } = handleUnknownTransaction(withdrawal, { hashes, now });
  if (!changes.deposits.every(isReleased)) {
    return { outcome: skipped('custody_behind'), record: null, missed: null, again: null };
  }
  const outcome = underRules(compared, rulesOf(snapshot));
  return {
    outcome,
    record: isEmpty(changes) ? null : { kind: 'unknown-transaction', transactionId },
    ...followUp(outcome, null, snapshot),
  };
}

/**
 * Compares a row of an outgoing transaction with the withdrawal and the hashes of a snapshot (spec,
 * "Outgoing transaction progress").
 */
export function compareOutgoingRow(transaction: CustodyTransaction, snapshot: Snapshot): Compared {
  const { graceMs } = snapshot;
  const known = snapshot.withdrawals.get(transaction.transactionId);
  const hashes = hashesOf(transaction, snapshot);
  const openSince = openSinceIn(snapshot);
  const context = { record: transaction, hashes, graceMs, openSince, now: rehearsal(snapshot) };
  const { outcome: compared, ...changes } = handleOutgoingRecord(known, context);
  const outcome = underRules(compared, rulesOf(snapshot));
  const matters =
    changes.withdrawals.length > 0 ||
    changes.ownHashes.length > 0 ||
    changes.deposits.length > 0 ||
    movesBreaks(changes, snapshot);
  return {
    outcome,
    record: matters ? { kind: 'outgoing', transaction, graceMs } : null,
    ...followUp(outcome, transaction, snapshot),
  };
}

/** Compares an incoming transaction for which we have no deposit. */
export function compareUnseenRow(transaction: CustodyTransaction, snapshot: Snapshot): Compared {
  const { graceMs } = snapshot;
  const hashState = snapshot.hashStates.get(hashKeyOf(transaction)) ?? EMPTY_HASH_STATE;
  const context = { record: transaction, graceMs, now: rehearsal(snapshot) };
  const { outcome: compared, ...changes } = handleUnseenRecord(hashState, context);
  const outcome = underRules(compared, rulesOf(snapshot));
  return {
    outcome,
    record: movesBreaks(changes, snapshot) ? { kind: 'unseen', transaction, graceMs } : null,
    ...followUp(outcome, transaction, snapshot),
  };
}

/** Compares a row of an address list. `asks`: only the transactions API can explain it. */
export function compareAddressRow(
  evidence: AddressEvidence,
  snapshot: Snapshot,
): { outcome: Outcome; record: CustodyRecord | null; asks: boolean } {
  const hashState = snapshot.hashStates.get(hashKeyOf(evidence.movement)) ?? EMPTY_HASH_STATE;
  const { verdict, ...changes } = handleAddressRecord(hashState, evidence, rehearsal(snapshot));
  const matters =
    verdict.consequence === 'post' ||
    verdict.consequence === 'take_back' ||
    movesBreaks(changes, snapshot);
  return {
    outcome: underRules(verdict.outcome, rulesOf(snapshot)),
    record: matters ? { kind: 'address', ...evidence } : null,
    asks: verdict.consequence === 'ask',
  };
}

/** Outcomes of a custody transaction, one per matching deposit. */
export function outcomesOf(transaction: CustodyTransaction, snapshot: Snapshot): Outcome[] {
  if (transaction.type === 'outgoing') return [compareOutgoingRow(transaction, snapshot).outcome];
  const deposits = depositsOf(transaction, snapshot);
  return deposits.length === 0
    ? [compareUnseenRow(transaction, snapshot).outcome]
    : deposits.map((deposit) => compareDepositRow(deposit, transaction, snapshot).outcome);
}

/**
 * Whether the deposit was at another position than its transaction, and nothing of it is left: it was
 * rolled back, or a person took it back. Its break must not open again.
 */
function hasLeftWrongPosition(deposit: Deposit, transaction: CustodyTransaction): boolean {
  return deposit.evidence === 'none' && isMisnamed(deposit, transaction);
}

/** Our deposits that an incoming custody transaction may describe. */
export function depositsOf(transaction: CustodyTransaction, snapshot: Snapshot): Deposit[] {
  const hashState = snapshot.hashStates.get(hashKeyOf(transaction)) ?? EMPTY_HASH_STATE;
  const { deposits } = hashState;
  const named = deposits.filter(
    (deposit) => mayCorrect(deposit, transaction) && !hasLeftWrongPosition(deposit, transaction),
  );
  return named.length > 0 ? named : deposits.filter((deposit) => isRenamed(deposit, transaction));
}
