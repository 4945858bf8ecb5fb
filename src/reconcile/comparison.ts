import type { AddressEvidence } from '../domain/address-evidence.ts';
import { saysNothingNew, type Break } from '../domain/break.ts';
import { mayCorrect, type Outcome } from '../domain/compare.ts';
import type { CreditingPolicy } from '../domain/crediting.ts';
import type { CustodyRecord, CustodyTransaction } from '../domain/custody.ts';
import { decideAddressRecord } from '../domain/decide-address.ts';
import { decideDepositRecord, decideUnseenRecord } from '../domain/decide-custody.ts';
import { decideOutgoingRecord, decideUnknownTransaction } from '../domain/decide-withdrawal.ts';
import type { Deposit } from '../domain/deposit.ts';
import {
  EMPTY_DOSSIER,
  isEmpty,
  type Changes,
  type Circumstances,
  type HashDossier,
} from '../domain/dossier.ts';
import { IdMint, type AssetId, type TransactionId } from '../domain/ids.ts';
import {
  isOnRecord,
  parted,
  underRules,
  type ExemptDifference,
  type ExemptionRule,
  type Exemptions,
} from '../domain/exemption.ts';
import { sameHash } from '../domain/own-hash.ts';
import type { Withdrawal } from '../domain/withdrawal.ts';

/** Our side, as it was at one moment; the writer decides anew on whatever has changed since. */
export interface Snapshot {
  readonly dossiers: ReadonlyMap<string, HashDossier>;
  readonly withdrawals: ReadonlyMap<TransactionId, Withdrawal>;
  /** Dossiers of the hashes that a transaction has or is said to have. */
  readonly ownHashes: ReadonlyMap<TransactionId, readonly HashDossier[]>;
  readonly openBreaks: ReadonlyMap<string, Break>;
  readonly pinnedDecimals: ReadonlyMap<AssetId, number>;
  readonly policy: CreditingPolicy;
  readonly exemptions: readonly ExemptionRule[];
  /** Differences that are exempt on record, by key. */
  readonly exempt: ReadonlyMap<string, ExemptDifference>;
  readonly at: number;
  readonly graceMs: number;
}

/** One comparison: how it ended, and the evidence to journal when it changes something. */
export interface Compared {
  readonly outcome: Outcome;
  readonly record: CustodyRecord | null;
  /** The transaction whose notification is overdue, where the outcome says so. */
  readonly missed: CustodyTransaction | null;
  /** The row, where it must be compared again: it could not be compared, or is not mended yet. */
  readonly again: CustodyTransaction | null;
}

/** What follows from how a comparison of a row ended, beside its record. */
function followUp(
  outcome: Outcome,
  transaction: CustodyTransaction | null,
  snapshot: Snapshot,
): Pick<Compared, 'missed' | 'again'> {
  if (transaction === null) return { missed: null, again: null };
  const missed = isMissed(outcome, transaction, snapshot);
  const again = missed || mayBeComparedLater(outcome);
  return { missed: missed ? transaction : null, again: again ? transaction : null };
}

/** Skips that may end without the row changing again. */
function mayBeComparedLater(outcome: Outcome): boolean {
  if (outcome.kind !== 'skipped') return false;
  const { cause } = outcome;
  return cause === 'balance_changes_pending' || cause === 'in_grace' || cause === 'unknown_status';
}

/** Whether no notification told it, or only in part: replay and backfill may bring it. */
function isMissed(
  outcome: Outcome,
  transaction: CustodyTransaction,
  { at, graceMs }: Snapshot,
): boolean {
  if (outcome.kind !== 'break') return false;
  const { type } = outcome.finding;
  if (type === 'missing_notification') return true;
  if (type !== 'status_mismatch') return false;
  // A rollback that never came shows as a deposit that we still hold for confirmed; a confirmation
  // after a rollback, as one that we hold for gone. The API is the authority on both.
  const overdue = at - transaction.updatedAt >= graceMs;
  return transaction.status === 'rolledback' || (transaction.status === 'confirmed' && overdue);
}

export function dossierKeyOf(row: Pick<CustodyTransaction, 'network' | 'blockchainHash'>): string {
  return `${row.network}\u0000${row.blockchainHash ?? ''}`;
}

/** A rehearsal: ids minted here are thrown away, and only what would change counts. */
function rehearsal(snapshot: Snapshot): Circumstances {
  return {
    at: snapshot.at,
    source: 'api',
    mint: new IdMint(0, (text) => text),
    policy: snapshot.policy,
    pinnedDecimals: (asset) => snapshot.pinnedDecimals.get(asset),
  };
}

function rulesOf({ exemptions, at }: Snapshot): Exemptions {
  return { rules: exemptions, at };
}

/** Whether breaks would be opened, restated, exempted or healed. */
function movesBreaks(changes: Changes, snapshot: Snapshot): boolean {
  const { openBreaks } = snapshot;
  const { found, exempt } = parted(changes.found, rulesOf(snapshot));
  return (
    changes.healed.some(({ key }) => openBreaks.has(key) || snapshot.exempt.has(key)) ||
    found.some((one) => !saysNothingNew(openBreaks.get(one.key), one)) ||
    exempt.some((one) => !isOnRecord(snapshot.exempt.get(one.finding.key), one))
  );
}

function movesDeposit(before: Deposit, changes: Changes): boolean {
  return changes.deposits.some(
    (after) =>
      after.state !== before.state ||
      after.reason !== before.reason ||
      after.credit?.creditId !== before.credit?.creditId ||
      (before.verifiedAt !== null && after.verifiedAt === null) ||
      // One that is held or internal is asked for until it has matched: that must be remembered.
      ((before.state === 'held' || before.state === 'internal') &&
        before.verifiedAt === null &&
        after.verifiedAt !== null),
  );
}

/** A deposit against its record, or against a look-up's 404 (`null`). */
export function compareDepositRow(
  deposit: Deposit,
  transaction: CustodyTransaction | null,
  snapshot: Snapshot,
): Compared {
  const { outcome: compared, ...changes } = decideDepositRecord(deposit, transaction, {
    graceMs: snapshot.graceMs,
    now: rehearsal(snapshot),
    correcting: {
      dossier: snapshot.dossiers.get(dossierKeyOf(deposit)) ?? EMPTY_DOSSIER,
      openSince: (key) => snapshot.openBreaks.get(key)?.openedAt,
    },
  });
  const outcome = underRules(compared, rulesOf(snapshot));
  const matters = movesDeposit(deposit, changes) || movesBreaks(changes, snapshot);
  const { depositId } = deposit;
  const { graceMs } = snapshot;
  return {
    outcome,
    record: matters ? { kind: 'deposit', depositId, transaction, graceMs, corrects: true } : null,
    ...followUp(outcome, transaction, snapshot),
  };
}

/** Dossiers of every hash that a transaction is said to have, and of its record's own. */
function hashesOf(record: CustodyTransaction, snapshot: Snapshot): readonly HashDossier[] {
  const said = snapshot.ownHashes.get(record.transactionId) ?? [];
  const { network, blockchainHash } = record;
  if (blockchainHash === null || said.some((hash) => sameHash(hash, record))) return said;
  const dossier = snapshot.dossiers.get(dossierKeyOf(record)) ?? EMPTY_DOSSIER;
  return [...said, { ...dossier, network, blockchainHash }];
}

/** A withdrawal that the API does not know, or knows as something else. */
export function compareUnknownTransaction(withdrawal: Withdrawal, snapshot: Snapshot): Compared {
  const { transactionId } = withdrawal;
  const hashes = snapshot.ownHashes.get(transactionId) ?? [];
  const now = rehearsal(snapshot);
  const { outcome: compared, ...changes } = decideUnknownTransaction(withdrawal, { hashes, now });
  const outcome = underRules(compared, rulesOf(snapshot));
  return {
    outcome,
    record: isEmpty(changes) ? null : { kind: 'unknown-transaction', transactionId },
    ...followUp(outcome, null, snapshot),
  };
}

export function compareOutgoingRow(transaction: CustodyTransaction, snapshot: Snapshot): Compared {
  const { graceMs } = snapshot;
  const known = snapshot.withdrawals.get(transaction.transactionId);
  const hashes = hashesOf(transaction, snapshot);
  const context = { record: transaction, hashes, graceMs, now: rehearsal(snapshot) };
  const { outcome: compared, ...changes } = decideOutgoingRecord(known, context);
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

/** An incoming transaction that no deposit of ours answers to. */
export function compareUnseenRow(transaction: CustodyTransaction, snapshot: Snapshot): Compared {
  const { graceMs } = snapshot;
  const dossier = snapshot.dossiers.get(dossierKeyOf(transaction)) ?? EMPTY_DOSSIER;
  const context = { record: transaction, graceMs, now: rehearsal(snapshot) };
  const { outcome: compared, ...changes } = decideUnseenRecord(dossier, context);
  const outcome = underRules(compared, rulesOf(snapshot));
  return {
    outcome,
    record: movesBreaks(changes, snapshot) ? { kind: 'unseen', transaction, graceMs } : null,
    ...followUp(outcome, transaction, snapshot),
  };
}

/** A row of an address's own list; `asks`: only the transactions API can say what it is. */
export function compareAddressRow(
  evidence: AddressEvidence,
  snapshot: Snapshot,
): { outcome: Outcome; record: CustodyRecord | null; asks: boolean } {
  const dossier = snapshot.dossiers.get(dossierKeyOf(evidence.movement)) ?? EMPTY_DOSSIER;
  const { verdict, ...changes } = decideAddressRecord(dossier, evidence, rehearsal(snapshot));
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

/** How a transaction of the API compares, one outcome per deposit that it is about. */
export function outcomesOf(transaction: CustodyTransaction, snapshot: Snapshot): Outcome[] {
  if (transaction.type === 'outgoing') return [compareOutgoingRow(transaction, snapshot).outcome];
  const deposits = depositsOf(transaction, snapshot);
  return deposits.length === 0
    ? [compareUnseenRow(transaction, snapshot).outcome]
    : deposits.map((deposit) => compareDepositRow(deposit, transaction, snapshot).outcome);
}

/** The deposits of ours that an incoming transaction of the API may be about. */
export function depositsOf(transaction: CustodyTransaction, snapshot: Snapshot): Deposit[] {
  const dossier = snapshot.dossiers.get(dossierKeyOf(transaction)) ?? EMPTY_DOSSIER;
  return dossier.deposits.filter((deposit) => mayCorrect(deposit, transaction));
}
