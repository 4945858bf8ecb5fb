import { ZERO, type Amount } from '../../money/amount.ts';
import {
  breakKey,
  finding,
  UNKNOWN_AFTER_CREDIT,
  type BreakType,
  type Finding,
} from '../../break/break.ts';
import type { CustodyTransaction } from '../../fact/custody-record.ts';
import { isNamedByWebhooksAlone, type Deposit } from '../deposit.ts';
import type { ChangeSet } from '../../hash/hash-state.ts';
import { agreementOf, type Movement } from '../../money/movement.ts';
import { depositFinding } from '../evaluation.ts';
import { receivedIn, type Received } from '../received.ts';
import type { BalanceChange } from '../../fact/notification.ts';
import type { AssetId } from '../../ids.ts';

/** Why a comparison was skipped. Skipped is neither matched nor a mismatch. */
export const SKIP_CAUSES = [
  'balance_changes_pending',
  'unknown_status',
  'custody_behind',
  'in_grace',
  'no_chain_evidence',
  'unreadable_row',
  'unknown_address',
  'api_unavailable',
  'rate_budget',
] as const;
export type SkipCause = (typeof SKIP_CAUSES)[number];

/** How every comparison ends: no difference is silent. */
export type Outcome =
  | { readonly kind: 'matched' }
  | { readonly kind: 'break'; readonly finding: Finding }
  | { readonly kind: 'exempt'; readonly rule: string }
  | { readonly kind: 'skipped'; readonly cause: SkipCause };

export const MATCHED: Outcome = { kind: 'matched' };

/** The outcome "could not compare", with its cause. */
export function skipped(cause: SkipCause): Outcome {
  return { kind: 'skipped', cause };
}

/** The outcome "break", with its finding. */
export function broken(found: Finding): Outcome {
  return { kind: 'break', finding: found };
}

/** The finding of a break; empty for other outcomes. */
export function foundIn(outcome: Outcome): Finding[] {
  return outcome.kind === 'break' ? [outcome.finding] : [];
}

/**
 * Breaks that a match resolves: every type that the same comparison can open. A skipped comparison
 * resolves none.
 */
export function healedBy(
  outcome: Outcome,
  types: readonly BreakType[],
  subject: string,
): ChangeSet['healed'] {
  const open = outcome.kind === 'break' ? outcome.finding.type : null;
  if (outcome.kind === 'skipped') return [];
  return types
    .filter((type) => type !== open)
    .map((type) => ({ key: breakKey(type, subject), reason: 'the custody API agrees now' }));
}

/**
 * A comparison's time and its grace period. A difference becomes a break only after the grace
 * period. `at`: Unix milliseconds. `graceMs`: milliseconds.
 */
export interface Grace {
  readonly at: number;
  readonly graceMs: number;
}

/** Whether a change is younger than the grace period. `changedAt`: Unix milliseconds. */
export function inGrace(changedAt: number, grace: Grace): boolean {
  return grace.at - changedAt < grace.graceMs;
}

/** When the break of a key opened, Unix milliseconds; undefined without one. */
export type OpenSince = (key: string) => number | undefined;

/** Whether the break of a difference has been open for the grace period. */
export function hasLasted({ key }: Finding, openSince: OpenSince, grace: Grace): boolean {
  const since = openSince(key);
  return since !== undefined && !inGrace(since, grace);
}

/**
 * Compares books with the chain view by sum (the specification, section "Conservation rules", 3).
 * Without a chain view it compares books with the custody API's sum. A break's figures are in
 * smallest units.
 */
export function compareMovement(movement: Movement, grace: Grace): Outcome {
  const agreement = agreementOf(movement);
  if (agreement === 'agrees' || agreement === 'custody_agrees') return MATCHED;
  if (agreement === 'books_only') return skipped('no_chain_evidence');
  if (inGrace(movement.changedAt, grace)) return skipped('in_grace');
  const type = agreement === 'chain_only' ? 'unexplained_movement' : 'conservation';
  const { vaultId, network, blockchainHash, asset, books, chain, custody } = movement;
  const byCustody = movement.onChain ? null : custody;
  const expected = byCustody ?? chain;
  const said = byCustody === null ? 'the chain moved' : 'the custody API says';
  return broken(
    finding(type, {
      key: movementBreakKey(type, movement),
      ...(type === 'unexplained_movement' && chain < ZERO ? { severity: 'critical' } : {}),
      subject: { vaultId, network, blockchainHash, asset },
      expected,
      actual: books,
      detail:
        type === 'unexplained_movement'
          ? `the chain moved ${chain} ${asset} and no platform transaction explains it`
          : `the books moved ${books} ${asset} where ${said} ${expected}`,
    }),
  );
}

/** The key of a movement's break. */
export function movementBreakKey(
  type: 'unexplained_movement' | 'conservation',
  movement: Pick<Movement, 'vaultId' | 'network' | 'blockchainHash' | 'asset'>,
): string {
  const { vaultId, network, blockchainHash, asset } = movement;
  return breakKey(type, vaultId, network, blockchainHash, asset);
}

/** What balance changes report as received at a deposit's position, per asset. */
export function receivedAt(deposit: Deposit, list: readonly BalanceChange[]): Received[] {
  const { accountId, addressId } = deposit;
  return receivedIn(
    list.filter((change) => change.accountId === accountId && change.addressId === addressId),
  );
}

/** What balance changes report as received of a deposit's asset at its position. */
export function custodyReceived(
  deposit: Deposit,
  list: readonly BalanceChange[],
): Received | undefined {
  return receivedAt(deposit, list).find((received) => received.asset === deposit.asset);
}

/** Whether an API record is about a deposit: same id, network, hash and position. */
export function isRecordOf(deposit: Deposit, record: CustodyTransaction): boolean {
  return !isNamedOtherwise(deposit, record) && samePosition(deposit, record);
}

/** Whether the deposit has an id, and the record another one. */
export function isNamedOtherwise({ transactionId }: Deposit, record: CustodyTransaction): boolean {
  return transactionId !== null && transactionId !== record.transactionId;
}

/** The hash and the position at which the API shows an incoming transaction. */
export type Shown = Pick<CustodyTransaction, 'blockchainHash'> &
  Pick<Deposit, 'network' | 'vaultId' | 'accountId' | 'addressId' | 'memo'>;

/** Whether the API shows a transaction at a deposit's hash and position. */
export function isShownAt(deposit: Deposit, shown: Shown): boolean {
  return (
    shown.network === deposit.network &&
    shown.blockchainHash === deposit.blockchainHash &&
    shown.vaultId === deposit.vaultId &&
    shown.accountId === deposit.accountId &&
    shown.addressId === deposit.addressId &&
    shown.memo === deposit.memo
  );
}

/** Whether an API record has a deposit's network, hash and position, under any transaction id. */
export function samePosition(deposit: Deposit, record: CustodyTransaction): boolean {
  return record.type === 'incoming' && isShownAt(deposit, record);
}

/**
 * Whether an incoming API record is compared with a deposit. A deposit with a transaction id takes
 * the record of that id, even at another position: that is the difference. A deposit without an id
 * takes the record at its position.
 */
export function answersTo(deposit: Deposit, record: CustodyTransaction): boolean {
  if (deposit.vaultId !== record.vaultId) return false;
  return deposit.transactionId === null
    ? isRecordOf(deposit, record)
    : deposit.transactionId === record.transactionId;
}

/**
 * Whether the record with the deposit's id is at another position, so that the id may be forged.
 */
export function isMisnamed(deposit: Deposit, record: CustodyTransaction): boolean {
  return isNamedByWebhooksAlone(deposit) && !samePosition(deposit, record);
}

/**
 * Whether an incoming API record may correct a deposit: a record that `answersTo` it, or a record
 * at its position under another id when webhooks alone named the id.
 */
export function mayCorrect(deposit: Deposit, record: CustodyTransaction): boolean {
  if (answersTo(deposit, record)) return true;
  return isNamedByWebhooksAlone(deposit) && samePosition(deposit, record);
}

/**
 * Whether a record that no deposit answers to is of this deposit all the same: of its asset at its
 * position, under another id than the API named before. A rolled-back record counts only if it is
 * newer than the credit or, without one, than the verification: an older one may be of the
 * transaction as it was before it was mined again under the deposit's id.
 */
export function isRenamed(deposit: Deposit, record: CustodyTransaction): boolean {
  if (!samePosition(deposit, record)) return false;
  const { status, changes, updatedAt } = record;
  if (status === 'rolledback') {
    return updatedAt >= (deposit.credit?.creditedAt ?? deposit.verifiedAt ?? Infinity);
  }
  return changes === null || custodyReceived(deposit, changes) !== undefined;
}

function unknown(deposit: Deposit, why: string): Outcome {
  const advice =
    deposit.credit === null ? 'do not credit it, it may be forged' : UNKNOWN_AFTER_CREDIT;
  return broken(
    depositFinding('unknown_to_custody', deposit, {
      expected: ZERO,
      actual: deposit.amount,
      detail: `${why}: ${advice}`,
    }),
  );
}

function statusMismatch(deposit: Deposit, status: string): Outcome {
  const ours = { none: 'rolled back', mempool: 'seen in the mempool', confirmed: 'confirmed' }[
    deposit.evidence
  ];
  return broken(
    depositFinding('status_mismatch', deposit, {
      severity: deposit.credit === null ? 'warning' : 'critical',
      detail: `the custody API says ${status}, the notifications say ${ours}`,
    }),
  );
}

/** Whether the deposit waits for nothing, so that it is never stale: only a break can report it. */
function isDone({ credit, state }: Deposit): boolean {
  return credit !== null || state === 'internal';
}

/** The API says confirmed, and the notifications stopped at the mempool. */
function unconfirmed(record: CustodyTransaction, grace: Grace): Outcome {
  if (inGrace(record.updatedAt, grace)) return skipped('in_grace');
  return transactionFinding('missing_notification', record, {
    detail: 'the custody API says confirmed, and no confirmation arrived after the mempool',
  });
}

/**
 * Compares a deposit with its custody API record, or with `null` after a single look-up answered
 * 404. Compares id, network, hash, position, asset, status and amount; a webhook alone is never
 * believed (the specification, section "Webhook destination"). `matched` verifies the deposit or,
 * for a rolled-back one, confirms the rollback. `skipped` for an unknown status, unless the deposit
 * was credited or is internal, and where the needed balance changes are missing.
 */
export function compareDeposit(
  deposit: Deposit,
  record: CustodyTransaction | null,
  grace: Grace,
): Outcome {
  if (record === null) return unknown(deposit, 'the custody API does not know this transaction');
  if (!samePosition(deposit, record)) {
    return unknown(deposit, 'the custody API knows this transaction under another id or position');
  }
  const gone = deposit.evidence === 'none';
  switch (record.status) {
    case 'rolledback':
      if (gone) return MATCHED;
      // The rollback notification may still arrive.
      return inGrace(record.updatedAt, grace)
        ? skipped('in_grace')
        : statusMismatch(deposit, record.status);
    case 'mempool':
      if (deposit.evidence === 'mempool') return MATCHED;
      // The API knew it as confirmed: it is back in the mempool. It may be mined soon.
      if (!isDone(deposit) || inGrace(deposit.updatedAt, grace)) return skipped('custody_behind');
      // An older row may be as it was before the credit.
      return gone && record.updatedAt >= (deposit.credit?.creditedAt ?? 0)
        ? MATCHED
        : statusMismatch(deposit, record.status);
    case 'confirmed':
      if (gone) return statusMismatch(deposit, record.status);
      if (deposit.evidence === 'mempool') return unconfirmed(record, grace);
      break;
    default:
      // `failed`, for example. What is rolled back has left the books.
      return !isDone(deposit) ||
        deposit.evidence !== 'confirmed' ||
        inGrace(record.updatedAt, grace)
        ? skipped('unknown_status')
        : statusMismatch(deposit, record.status);
  }
  if (record.changes === null) return skipped('balance_changes_pending');
  const expected = custodyReceived(deposit, record.changes)?.amount;
  if (expected === undefined) {
    return unknown(deposit, `the custody API shows no ${deposit.asset} at this position`);
  }
  if (isNamedOtherwise(deposit, record)) {
    const { transactionId } = record;
    return unknown(deposit, `the custody API knows this transaction as ${transactionId}`);
  }
  return expected === deposit.amount ? MATCHED : broken(amountMismatch(deposit, expected));
}

/**
 * The break of a deposit whose amount differs from the custody API's. `expected`: the API's amount,
 * in smallest units.
 */
export function amountMismatch(deposit: Deposit, expected: Amount): Finding {
  return depositFinding('amount_mismatch', deposit, {
    expected,
    actual: deposit.amount,
    detail: `the custody API says ${expected} ${deposit.asset}, the notifications say ${deposit.amount}`,
  });
}

/** A break about an API transaction; without a `key`, one is open per type and transaction. */
export function transactionFinding(
  type: 'missing_notification' | 'status_mismatch' | 'amount_mismatch',
  record: CustodyTransaction,
  found: { detail: string } & Partial<Pick<Finding, 'key' | 'expected' | 'actual' | 'severity'>> & {
      asset?: AssetId;
    },
): Outcome {
  const { asset = null, ...rest } = found;
  const { vaultId, network, blockchainHash, transactionId } = record;
  return broken(
    finding(type, {
      key: breakKey(type, transactionId),
      subject: { vaultId, network, blockchainHash, transactionId, asset },
      ...rest,
    }),
  );
}
