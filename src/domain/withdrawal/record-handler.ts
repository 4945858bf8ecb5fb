import { ZERO } from '../money/amount.ts';
import { postFor, unpost, type Booked } from './booking.ts';
import { breakKey, finding, type Finding } from '../break/break.ts';
import { followBurnedFees } from './burned-fee.ts';
import {
  foundIn,
  hasLasted,
  healedBy,
  MATCHED,
  skipped,
  type OpenSince,
  type Outcome,
} from '../deposit/record/comparison.ts';
import { compareWithdrawal, correctsWithdrawal, missingKeys, behindKey } from './comparison.ts';
import type { CustodyTransaction } from '../fact/custody-record.ts';
import { claimDeposits, disclaimDeposits, type EvaluatedDeposits } from './outgoing-handler.ts';
import {
  changeSet,
  isOwnHash,
  type ChangeSet,
  type RuleContext,
  type KeyedHashState,
} from '../hash/hash-state.ts';
import type { Entry } from '../money/entry.ts';
import type { BalanceChange } from '../fact/notification.ts';
import { firstDifference, sameContent } from '../hash/same-changes.ts';
import type { TransactionId } from '../ids.ts';
import { sameHash, withOwnHash, type OwnHash, type OwnHashCertainty } from './own-hash.ts';
import { isTerminalStatus, knownStatus, type Withdrawal } from './withdrawal.ts';

const TRANSACTION_BREAKS = ['unknown_to_custody', 'status_mismatch', 'amount_mismatch'] as const;

interface RecordContext {
  readonly record: CustodyTransaction;
  /** States of every hash of this transaction, named by us or by its record. */
  readonly hashes: readonly KeyedHashState[];
  readonly now: RuleContext;
}

interface OutgoingContext extends RecordContext {
  /** Milliseconds. */
  readonly graceMs: number;
  readonly openSince: OpenSince;
}

/** A withdrawal from the API's record alone. */
function learned(record: CustodyTransaction, at: number): Withdrawal {
  const { transactionId, vaultId, orderId, network, blockchainHash } = record;
  const { accountId, addressId, destinationAddress, memo } = record;
  return {
    transactionId,
    vaultId,
    orderId,
    network,
    blockchainHash,
    accountId,
    addressId,
    destinationAddress,
    memo,
    status: null,
    reasonCode: null,
    entryId: null,
    posted: [],
    custody: 'known',
    firstSeenAt: at,
    updatedAt: at,
  };
}

/** The withdrawal as the API reports it, with entries that correct the books. */
function rebooked(known: Withdrawal, { record, now }: RecordContext): Booked {
  const status = knownStatus(record.status) ?? null;
  const { firstSeenAt, orderId, entryId, posted } = known;
  const base = { ...learned(record, now.at), orderId: record.orderId ?? orderId, firstSeenAt };
  const after: Withdrawal = { ...base, status, reasonCode: record.reasonCode };
  const list = status === 'mined' ? (record.changes ?? []) : [];
  if (isBookedAs(known, after, list)) {
    return { withdrawal: { ...after, entryId, posted }, entries: [] };
  }
  const cleared = unpost(known, now);
  const { withdrawal, entries } = postFor(after, { cause: 'mined', list }, now);
  return { withdrawal, entries: [...cleared.entries, ...entries] };
}

/** Whether the books hold it so already, when the record only names another order. */
function isBookedAs(known: Withdrawal, after: Withdrawal, list: readonly BalanceChange[]): boolean {
  const { vaultId, network, blockchainHash, status, posted } = known;
  return (
    status === after.status &&
    vaultId === after.vaultId &&
    network === after.network &&
    blockchainHash === after.blockchainHash &&
    (status !== 'mined' || sameContent(posted, list))
  );
}

interface Followed {
  readonly outcome: Outcome;
  readonly withdrawal: Withdrawal | null;
  readonly entries: readonly Entry[];
  readonly healed: ChangeSet['healed'];
}

const NOTHING = { withdrawal: null, entries: [], healed: [] } as const;

/**
 * Handles a transaction that the API did not know earlier and knows now. Its webhooks booked
 * nothing meanwhile, so it is booked from the record.
 */
function reinstated(known: Withdrawal, context: RecordContext): Followed {
  const { record } = context;
  if (knownStatus(record.status) === undefined) {
    return { ...NOTHING, outcome: skipped('unknown_status') };
  }
  if (record.status === 'mined' && record.changes === null) {
    return { ...NOTHING, outcome: skipped('balance_changes_pending') };
  }
  return { ...NOTHING, ...rebooked(known, context), outcome: MATCHED };
}

/**
 * Corrects the withdrawal from the record; the books follow. The correction's break has its own key
 * and stays open until a person has found the sender; the break that it ends is resolved.
 */
function corrected(known: Withdrawal, found: Finding, context: RecordContext): Followed {
  const { record } = context;
  const theirs = record.status === 'mined' ? (record.changes ?? []) : [];
  const booked = rebooked(known, context);
  const difference =
    booked.entries.length === 0 ? undefined : firstDifference(theirs, known.posted);
  const outcome: Outcome = {
    kind: 'break',
    finding: finding(found.type, {
      ...found,
      key: breakKey(found.type, record.transactionId, 'corrected'),
      severity: known.posted.length > 0 ? 'critical' : found.severity,
      subject: { ...found.subject, asset: difference?.asset ?? null },
      expected: difference?.expected ?? null,
      actual: difference?.actual ?? null,
      detail: `${found.detail}; the books follow the custody API now: find out who sent the notifications`,
    }),
  };
  const healed = [{ key: found.key, reason: 'corrected by the custody API’s record' }];
  return { ...booked, outcome, healed };
}

/** Compares the record and applies it; `withdrawal` is null when the record changes nothing. */
function follow(known: Withdrawal | undefined, context: OutgoingContext): Followed {
  const { record, now, graceMs, openSince } = context;
  if (known?.custody === 'unknown') return reinstated(known, context);
  const outcome = compareWithdrawal(known, record, { at: now.at, graceMs });
  const kept = { ...NOTHING, outcome };
  if (known === undefined) return { ...kept, withdrawal: learned(record, now.at) };
  const certainty = (custody: Withdrawal['custody']): Followed =>
    known.custody === custody ? kept : { ...kept, withdrawal: { ...known, custody } };
  if (outcome.kind === 'matched') return certainty('known');
  if (outcome.kind !== 'break' || outcome.finding.type === 'missing_notification') {
    // The API has shown this transaction: keep that, even when it cannot be compared yet.
    return known.custody === 'unasked' ? certainty('doubted') : kept;
  }
  const lasts = hasLasted(outcome.finding, openSince, { at: now.at, graceMs });
  return correctsWithdrawal(record, known, lasts)
    ? corrected(known, outcome.finding, context)
    : // The withdrawal is asked for again until both agree.
      certainty('doubted');
}

interface Ruled extends EvaluatedDeposits {
  readonly ownHashes: readonly OwnHash[];
  /** Hashes whose deposits turned out not to be own transfers. */
  readonly released: readonly KeyedHashState[];
}

/** Applies the API's answer to each hash that names the transaction. */
function ruleOnHashes(
  transactionId: TransactionId,
  context: Pick<RecordContext, 'hashes' | 'now'>,
  certaintyOf: (hash: KeyedHashState, before: OwnHashCertainty | null) => OwnHashCertainty | null,
): Ruled {
  const { hashes, now } = context;
  const ruled = hashes.flatMap((hash) => {
    const { network, blockchainHash } = hash;
    const before = hash.ownHashes.find((own) => own.transactionId === transactionId);
    const certainty = certaintyOf(hash, before?.certainty ?? null);
    if (certainty === null || certainty === before?.certainty) return [];
    const own = { network, blockchainHash, transactionId, certainty };
    const isOwn = isOwnHash({ ownHashes: withOwnHash(hash.ownHashes, own) });
    const evaluations = isOwn
      ? claimDeposits(hash.deposits, transactionId, now)
      : disclaimDeposits(hash.deposits, now);
    return [{ own, evaluations, hash, isReleased: !isOwn && evaluations.evaluated.length > 0 }];
  });
  return {
    ownHashes: ruled.map(({ own }) => own),
    evaluated: ruled.flatMap(({ evaluations }) => evaluations.evaluated),
    found: ruled.flatMap(({ evaluations }) => evaluations.found),
    released: ruled.filter(({ isReleased }) => isReleased).map(({ hash }) => hash),
  };
}

/** The break for a customer's deposit that a webhook marked as an own transfer. */
function releaseFinding(
  type: 'status_mismatch' | 'unknown_to_custody',
  transactionId: TransactionId,
  hash: KeyedHashState,
): Finding {
  const { network, blockchainHash } = hash;
  const [deposit] = hash.deposits;
  return finding(type, {
    key: breakKey(type, transactionId, network, blockchainHash),
    severity: 'critical',
    subject: { vaultId: deposit?.vaultId ?? null, network, blockchainHash, transactionId },
    detail: `a notification named ${blockchainHash} as the hash of own transaction ${transactionId}, and the custody API does not: its deposits were held for internal and are judged anew`,
  });
}

function depositChanges(
  ruled: Ruled,
): Pick<ChangeSet, 'ownHashes' | 'deposits' | 'items' | 'healed'> {
  return {
    ownHashes: ruled.ownHashes,
    deposits: ruled.evaluated.map((part) => part.deposit),
    items: ruled.evaluated.flatMap((part) => part.items),
    healed: ruled.evaluated.flatMap((part) => part.healed),
  };
}

/** The breaks about missing notifications that end, because the comparison misses none. */
function arrivedBy(outcome: Outcome, transactionId: TransactionId): ChangeSet['healed'] {
  if (outcome.kind === 'skipped') return [];
  if (outcome.kind === 'break' && outcome.finding.type === 'missing_notification') return [];
  return missingKeys(transactionId).map((key) => ({ key, reason: 'the custody API agrees now' }));
}

/** The break about a record that is behind our withdrawal ends with any other outcome. */
function caughtUpBy(outcome: Outcome, transactionId: TransactionId): ChangeSet['healed'] {
  const key = behindKey(transactionId);
  if (outcome.kind === 'skipped') return [];
  if (outcome.kind === 'break' && outcome.finding.key === key) return [];
  return [{ key, reason: 'the custody API has caught up' }];
}

/**
 * Handles the custody API's record of an outgoing transaction. Its hash marks deposits as own
 * transfers, even without a notification. A hash that only a webhook named is refuted once the
 * transaction ended under another. The notifications are confirmed, corrected or reported. Missing
 * notifications are booked by a backfill, never here.
 */
export function handleOutgoingRecord(
  known: Withdrawal | undefined,
  context: OutgoingContext,
): ChangeSet & { readonly outcome: Outcome } {
  const { record } = context;
  const { transactionId } = record;
  const { outcome, withdrawal, entries, healed } = follow(known, context);
  const theirs = knownStatus(record.status);
  const hasEnded = theirs !== undefined && isTerminalStatus(theirs);
  const ruled = ruleOnHashes(transactionId, context, (hash, before) => {
    if (sameHash(hash, record)) return 'confirmed';
    return before === 'claimed' && hasEnded ? 'refuted' : before;
  });
  const evaluations = depositChanges(ruled);
  const decided = changeSet({
    ...evaluations,
    withdrawals: withdrawal === null ? [] : [withdrawal],
    entries,
    found: [
      ...foundIn(outcome),
      ...ruled.found,
      ...ruled.evaluated.flatMap((part) => part.found),
      ...ruled.released.map((hash) => releaseFinding('status_mismatch', transactionId, hash)),
    ],
    healed: [
      ...healedBy(outcome, TRANSACTION_BREAKS, transactionId),
      ...arrivedBy(outcome, transactionId),
      ...caughtUpBy(outcome, transactionId),
      ...healed,
      ...(outcome.kind === 'matched' && known?.status === 'mined'
        ? healedBy(outcome, ['amount_changed'], transactionId)
        : []),
      ...evaluations.healed,
    ],
  });
  return { ...followBurnedFees(decided, context.hashes, context.now), outcome };
}

function unknownFinding(withdrawal: Withdrawal, released: readonly KeyedHashState[]): Finding {
  const { transactionId, vaultId, network, blockchainHash, posted } = withdrawal;
  const difference = firstDifference([], posted);
  const moved = difference !== undefined || released.length > 0;
  return finding('unknown_to_custody', {
    key: breakKey('unknown_to_custody', transactionId),
    severity: moved ? 'critical' : 'warning',
    subject: { vaultId, network, blockchainHash, transactionId, asset: difference?.asset ?? null },
    expected: difference === undefined ? null : ZERO,
    actual: difference?.actual ?? null,
    detail: `notifications tell of own transaction ${transactionId} (${withdrawal.status ?? 'no status'}), and the custody API does not know it: it may be forged, and what was posted for it is taken back`,
  });
}

/**
 * Handles a transaction that notifications reported and the custody API does not know. Its entry is
 * reversed, and it no longer marks deposits as own transfers. The break opens once: a resolved one
 * stays resolved.
 */
export function handleUnknownTransaction(
  known: Withdrawal,
  context: Pick<RecordContext, 'hashes' | 'now'>,
): ChangeSet & { readonly outcome: Outcome } {
  const again: Outcome = { kind: 'break', finding: unknownFinding(known, []) };
  if (known.custody === 'unknown') return { ...changeSet({}), outcome: again };
  const { hashes, now } = context;
  const { transactionId } = known;
  const { withdrawal, entries } = unpost(known, now);
  const ruled = ruleOnHashes(transactionId, context, (_, before) =>
    before === 'claimed' ? 'refuted' : before,
  );
  const elsewhere = ruled.released.filter((hash) => !sameHash(hash, known));
  const found = unknownFinding(known, ruled.released);
  const decided = changeSet({
    ...depositChanges(ruled),
    withdrawals: [{ ...withdrawal, custody: 'unknown', updatedAt: now.at }],
    entries,
    found: [
      found,
      ...elsewhere.map((hash) => releaseFinding('unknown_to_custody', transactionId, hash)),
      ...ruled.evaluated.flatMap((part) => part.found),
    ],
  });
  return {
    ...followBurnedFees(decided, hashes, now),
    outcome: { kind: 'break', finding: found },
  };
}
