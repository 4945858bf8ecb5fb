import { ZERO } from './amount.ts';
import { postFor, unpost, type Booked } from './booking.ts';
import { breakKey, finding, type Finding } from './break.ts';
import { followBurnedFees } from './burned-fee.ts';
import { foundIn, healedBy, MATCHED, skipped, type Outcome } from './compare.ts';
import { compareWithdrawal, firstDifference, hasLastWord } from './compare-withdrawal.ts';
import type { CustodyTransaction } from './custody.ts';
import { claimDeposits, disclaimDeposits, type Judged } from './decide-outgoing.ts';
import {
  changes,
  isOwnHash,
  type Changes,
  type Circumstances,
  type HashDossier,
} from './dossier.ts';
import type { Entry } from './entry.ts';
import type { TransactionId } from './ids.ts';
import { sameHash, withOwnHash, type OwnHash, type OwnHashStanding } from './own-hash.ts';
import { isTerminalStatus, knownStatus, type Withdrawal } from './withdrawal.ts';

const TRANSACTION_BREAKS = [
  'unknown_to_custody',
  'missing_notification',
  'status_mismatch',
  'amount_mismatch',
] as const;

interface RecordContext {
  readonly record: CustodyTransaction;
  /** Dossiers of every hash that this transaction has or is said to have, by us or by its record. */
  readonly hashes: readonly HashDossier[];
  readonly now: Circumstances;
}

/** A withdrawal that no notification has told of yet. */
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

/** The withdrawal as the API tells it, with entries that put the books right. */
function restated(known: Withdrawal, { record, now }: RecordContext): Booked {
  const cleared = unpost(known, now);
  const status = knownStatus(record.status) ?? null;
  const { firstSeenAt, orderId } = known;
  const base = { ...learned(record, now.at), orderId: record.orderId ?? orderId, firstSeenAt };
  const after: Withdrawal = { ...base, status, reasonCode: record.reasonCode };
  const list = status === 'mined' ? (record.changes ?? []) : [];
  const { withdrawal, entries } = postFor(after, { cause: 'mined', list }, now);
  return { withdrawal, entries: [...cleared.entries, ...entries] };
}

interface Followed {
  readonly outcome: Outcome;
  readonly withdrawal: Withdrawal | null;
  readonly entries: readonly Entry[];
}

/**
 * The API knows after all what a look-up of it had answered 404 for: it is booked as the API tells
 * it, since webhooks of it were not booked meanwhile.
 */
function reinstated(known: Withdrawal, context: RecordContext): Followed {
  const { record } = context;
  const unsaid = { withdrawal: null, entries: [] };
  if (knownStatus(record.status) === undefined) {
    return { ...unsaid, outcome: skipped('unknown_status') };
  }
  if (record.status === 'mined' && record.changes === null) {
    return { ...unsaid, outcome: skipped('balance_changes_pending') };
  }
  return { ...restated(known, context), outcome: MATCHED };
}

/**
 * The record contradicts the notifications and has the last word: the books follow it, and the
 * break has a key of its own. It stays until a person has asked where the notifications came from.
 */
function corrected(known: Withdrawal, found: Finding, context: RecordContext): Followed {
  const { record } = context;
  const theirs = record.status === 'mined' ? (record.changes ?? []) : [];
  const difference = firstDifference(theirs, known.posted);
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
  return { ...restated(known, context), outcome };
}

/** The withdrawal after its record was compared; null when the record changes nothing about it. */
function follow(
  known: Withdrawal | undefined,
  context: RecordContext & { graceMs: number },
): Followed {
  const { record, now, graceMs } = context;
  if (known?.custody === 'unknown') return reinstated(known, context);
  const outcome = compareWithdrawal(known, record, { at: now.at, graceMs });
  const kept = { outcome, withdrawal: null, entries: [] };
  if (known === undefined) return { ...kept, withdrawal: learned(record, now.at) };
  const standing = (custody: Withdrawal['custody']): Followed =>
    known.custody === custody ? kept : { ...kept, withdrawal: { ...known, custody } };
  if (outcome.kind === 'matched') return standing('known');
  if (outcome.kind !== 'break' || outcome.finding.type === 'missing_notification') {
    // It is no transaction of nobody: that is remembered, whatever else cannot be told yet.
    return known.custody === 'unasked' ? standing('doubted') : kept;
  }
  return hasLastWord(record, known, { at: now.at, graceMs })
    ? corrected(known, outcome.finding, context)
    : // It is asked for again until they agree.
      standing('doubted');
}

interface Ruled extends Judged {
  readonly ownHashes: readonly OwnHash[];
  /** Hashes whose deposits are not our own transfers after all. */
  readonly released: readonly HashDossier[];
}

/** Takes over what the API says of each hash that a transaction is said to have. */
function ruleOnHashes(
  transactionId: TransactionId,
  context: Pick<RecordContext, 'hashes' | 'now'>,
  standingOf: (hash: HashDossier, before: OwnHashStanding | null) => OwnHashStanding | null,
): Ruled {
  const { hashes, now } = context;
  const ruled = hashes.flatMap((hash) => {
    const { network, blockchainHash } = hash;
    const before = hash.ownHashes.find((own) => own.transactionId === transactionId);
    const standing = standingOf(hash, before?.standing ?? null);
    if (standing === null || standing === before?.standing) return [];
    const own = { network, blockchainHash, transactionId, standing };
    const isOwn = isOwnHash({ ownHashes: withOwnHash(hash.ownHashes, own) });
    const judged = isOwn
      ? claimDeposits(hash.deposits, transactionId, now)
      : disclaimDeposits(hash.deposits, now);
    return [{ own, judged, hash, isReleased: !isOwn && judged.settled.length > 0 }];
  });
  return {
    ownHashes: ruled.map(({ own }) => own),
    settled: ruled.flatMap(({ judged }) => judged.settled),
    found: ruled.flatMap(({ judged }) => judged.found),
    released: ruled.filter(({ isReleased }) => isReleased).map(({ hash }) => hash),
  };
}

/** A webhook made a customer's deposit look like our own transfer. */
function releaseFinding(
  type: 'status_mismatch' | 'unknown_to_custody',
  transactionId: TransactionId,
  hash: HashDossier,
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

function judgedChanges(ruled: Ruled): Pick<Changes, 'ownHashes' | 'deposits' | 'items' | 'healed'> {
  return {
    ownHashes: ruled.ownHashes,
    deposits: ruled.settled.map((part) => part.deposit),
    items: ruled.settled.flatMap((part) => part.items),
    healed: ruled.settled.flatMap((part) => part.healed),
  };
}

/**
 * What the custody API's record of an outgoing transaction does: its hash marks deposits as own
 * transfers even when no notification told of it; a hash that only a webhook named is refuted once
 * the transaction has ended under another; and what the notifications said is confirmed, corrected
 * or reported. What no notification told is booked by a backfill, never by this record alone.
 */
export function decideOutgoingRecord(
  known: Withdrawal | undefined,
  context: RecordContext & { graceMs: number },
): Changes & { readonly outcome: Outcome } {
  const { record } = context;
  const { transactionId } = record;
  const { outcome, withdrawal, entries } = follow(known, context);
  const theirs = knownStatus(record.status);
  const hasEnded = theirs !== undefined && isTerminalStatus(theirs);
  const ruled = ruleOnHashes(transactionId, context, (hash, before) => {
    if (sameHash(hash, record)) return 'confirmed';
    return before === 'told' && hasEnded ? 'refuted' : before;
  });
  const judged = judgedChanges(ruled);
  const decided = changes({
    ...judged,
    withdrawals: withdrawal === null ? [] : [withdrawal],
    entries,
    found: [
      ...foundIn(outcome),
      ...ruled.found,
      ...ruled.settled.flatMap((part) => part.found),
      ...ruled.released.map((hash) => releaseFinding('status_mismatch', transactionId, hash)),
    ],
    healed: [
      ...healedBy(outcome, TRANSACTION_BREAKS, transactionId),
      ...(outcome.kind === 'matched' && known?.status === 'mined'
        ? healedBy(outcome, ['amount_changed'], transactionId)
        : []),
      ...judged.healed,
    ],
  });
  return { ...followBurnedFees(decided, context.hashes, context.now), outcome };
}

function unknownFinding(withdrawal: Withdrawal, released: readonly HashDossier[]): Finding {
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
 * The custody API does not know a transaction that notifications told of. What was posted for it is
 * reversed, and it holds no deposit for our own transfer any more. Said once: what a person has
 * resolved is not opened again.
 */
export function decideUnknownTransaction(
  known: Withdrawal,
  context: Pick<RecordContext, 'hashes' | 'now'>,
): Changes & { readonly outcome: Outcome } {
  const again: Outcome = { kind: 'break', finding: unknownFinding(known, []) };
  if (known.custody === 'unknown') return { ...changes({}), outcome: again };
  const { hashes, now } = context;
  const { transactionId } = known;
  const { withdrawal, entries } = unpost(known, now);
  const ruled = ruleOnHashes(transactionId, context, (_, before) =>
    before === 'told' ? 'refuted' : before,
  );
  const elsewhere = ruled.released.filter((hash) => !sameHash(hash, known));
  const found = unknownFinding(known, ruled.released);
  const decided = changes({
    ...judgedChanges(ruled),
    withdrawals: [{ ...withdrawal, custody: 'unknown', updatedAt: now.at }],
    entries,
    found: [
      found,
      ...elsewhere.map((hash) => releaseFinding('unknown_to_custody', transactionId, hash)),
      ...ruled.settled.flatMap((part) => part.found),
    ],
  });
  return {
    ...followBurnedFees(decided, hashes, now),
    outcome: { kind: 'break', finding: found },
  };
}
