import { ZERO, type Amount } from './amount.ts';
import { breakKey, finding, type BreakType, type Finding } from './break.ts';
import type { CustodyTransaction } from './custody.ts';
import type { Deposit } from './deposit.ts';
import type { Changes } from './dossier.ts';
import { standingOf, type Movement } from './movement.ts';
import { depositFinding } from './settlement.ts';
import { receivedIn, type Received } from './received-deposit.ts';
import type { BalanceChange } from './notification.ts';
import type { AssetId } from './ids.ts';

/** Why something could not be compared; it is then neither matched nor a mismatch. */
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

/** How every comparison ends. */
export type Outcome =
  | { readonly kind: 'matched' }
  | { readonly kind: 'break'; readonly finding: Finding }
  | { readonly kind: 'exempt'; readonly rule: string }
  | { readonly kind: 'skipped'; readonly cause: SkipCause };

export const MATCHED: Outcome = { kind: 'matched' };

export function skipped(cause: SkipCause): Outcome {
  return { kind: 'skipped', cause };
}

export function broken(found: Finding): Outcome {
  return { kind: 'break', finding: found };
}

/** The difference that an outcome tells of, if it does. */
export function foundIn(outcome: Outcome): Finding[] {
  return outcome.kind === 'break' ? [outcome.finding] : [];
}

/** A match takes away every difference that the same comparison could have opened. */
export function healedBy(
  outcome: Outcome,
  types: readonly BreakType[],
  subject: string,
): Changes['healed'] {
  const open = outcome.kind === 'break' ? outcome.finding.type : null;
  if (outcome.kind === 'skipped') return [];
  return types
    .filter((type) => type !== open)
    .map((type) => ({ key: breakKey(type, subject), reason: 'the custody API agrees now' }));
}

/** A difference is reported only when it has outlived the time that notifications may take. */
export interface Grace {
  readonly at: number;
  readonly graceMs: number;
}

export function inGrace(changedAt: number, grace: Grace): boolean {
  return grace.at - changedAt < grace.graceMs;
}

/**
 * Books against chain view, by sum (spec, conservation rule 3); where no chain view tells, against
 * what the custody API says that the hash moved.
 */
export function compareMovement(movement: Movement, grace: Grace): Outcome {
  const standing = standingOf(movement);
  if (standing === 'agrees' || standing === 'custody_agrees') return MATCHED;
  if (standing === 'books_only') return skipped('no_chain_evidence');
  if (inGrace(movement.changedAt, grace)) return skipped('in_grace');
  const type = standing === 'chain_only' ? 'unexplained_movement' : 'conservation';
  const { vaultId, network, blockchainHash, asset, books, chain, custody } = movement;
  const byCustody = custody !== null && !movement.onChain;
  const expected = byCustody ? custody : chain;
  const said = byCustody ? 'the custody API says' : 'the chain moved';
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

export function movementBreakKey(
  type: 'unexplained_movement' | 'conservation',
  movement: Pick<Movement, 'vaultId' | 'network' | 'blockchainHash' | 'asset'>,
): string {
  const { vaultId, network, blockchainHash, asset } = movement;
  return breakKey(type, vaultId, network, blockchainHash, asset);
}

/** What a custody record says was received of a deposit's asset at its own position. */
export function custodyReceived(
  deposit: Deposit,
  list: readonly BalanceChange[],
): Received | undefined {
  const here = list.filter(
    (change) => change.accountId === deposit.accountId && change.addressId === deposit.addressId,
  );
  return receivedIn(here).find((received) => received.asset === deposit.asset);
}

/** Whether a record of the API is about a deposit: id, network, hash and position. */
export function samePlace(deposit: Deposit, record: CustodyTransaction): boolean {
  return !isNamedOtherwise(deposit, record) && samePosition(deposit, record);
}

function isNamedOtherwise({ transactionId }: Deposit, record: CustodyTransaction): boolean {
  return transactionId !== null && transactionId !== record.transactionId;
}

/** Whether a record of the API is about a deposit's network, hash and position, under any id. */
export function samePosition(deposit: Deposit, record: CustodyTransaction): boolean {
  return (
    record.type === 'incoming' &&
    record.network === deposit.network &&
    record.blockchainHash === deposit.blockchainHash &&
    record.vaultId === deposit.vaultId &&
    record.accountId === deposit.accountId &&
    record.addressId === deposit.addressId &&
    record.memo === deposit.memo
  );
}

/**
 * Whether an incoming record of the API is to be compared with a deposit: one that names its id even
 * where it says another place, since that is the difference; one that names none at its place alone.
 */
export function answersTo(deposit: Deposit, record: CustodyTransaction): boolean {
  if (deposit.vaultId !== record.vaultId) return false;
  return deposit.transactionId === null
    ? samePlace(deposit, record)
    : deposit.transactionId === record.transactionId;
}

/** Whether no record of the API has agreed with what webhooks call the deposit's transaction. */
export function isNamedByWebhooksAlone({ verifiedAt, creditsIssued }: Deposit): boolean {
  return verifiedAt === null && creditsIssued === 0;
}

/** Whether a record that has the deposit's id is of another place, and the id may be made up. */
export function isMisnamed(deposit: Deposit, record: CustodyTransaction): boolean {
  return isNamedByWebhooksAlone(deposit) && !samePosition(deposit, record);
}

/**
 * Whether an incoming record of the API is to be compared with a deposit, now that a record can
 * correct one: also the record at its position that webhooks gave another id.
 */
export function mayCorrect(deposit: Deposit, record: CustodyTransaction): boolean {
  if (answersTo(deposit, record)) return true;
  return isNamedByWebhooksAlone(deposit) && samePosition(deposit, record);
}

function unknown(deposit: Deposit, why: string): Outcome {
  return broken(
    depositFinding('unknown_to_custody', deposit, {
      expected: ZERO,
      actual: deposit.amount,
      detail: `${why}: do not credit it, it may be forged`,
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

/** The API has it confirmed where the notifications stopped at the mempool. */
function unconfirmed(record: CustodyTransaction, grace: Grace): Outcome {
  if (inGrace(record.updatedAt, grace)) return skipped('in_grace');
  return transactionFinding('missing_notification', record, {
    detail: 'the custody API says confirmed, and no confirmation arrived after the mempool',
  });
}

/**
 * A deposit against the custody API's record of it, or against `null` when a single look-up
 * answered 404. Compares id, network, hash, position, asset, status and amount; a webhook alone is
 * never believed. `matched` means that the record may count as verification (or, for a deposit
 * that was rolled back, that the API agrees it is gone).
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
      // The rollback may be on its way to us.
      return inGrace(record.updatedAt, grace)
        ? skipped('in_grace')
        : statusMismatch(deposit, record.status);
    case 'mempool':
      return deposit.evidence === 'mempool' ? MATCHED : skipped('custody_behind');
    case 'confirmed':
      if (gone) return statusMismatch(deposit, record.status);
      if (deposit.evidence === 'mempool') return unconfirmed(record, grace);
      break;
    default:
      return skipped('unknown_status');
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

/** A deposit of another amount than the custody API says. */
export function amountMismatch(deposit: Deposit, expected: Amount): Finding {
  return depositFinding('amount_mismatch', deposit, {
    expected,
    actual: deposit.amount,
    detail: `the custody API says ${expected} ${deposit.asset}, the notifications say ${deposit.amount}`,
  });
}

/** A difference about a transaction of the API; one is open per type and transaction. */
export function transactionFinding(
  type: 'missing_notification' | 'status_mismatch' | 'amount_mismatch',
  record: CustodyTransaction,
  found: { detail: string } & Partial<Pick<Finding, 'expected' | 'actual' | 'severity'>> & {
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

/** An incoming transaction of the custody API that no deposit of ours answers to. */
export function compareUnseen(record: CustodyTransaction, grace: Grace): Outcome {
  if (record.status === 'mempool' || record.status === 'rolledback') return MATCHED;
  if (record.status !== 'confirmed') return skipped('unknown_status');
  if (record.changes === null) return skipped('balance_changes_pending');
  // Fee, rebate and mint entries are nobody's deposit, and move the books all the same.
  const [moved] = [
    ...receivedIn(record.changes),
    ...record.changes.filter((change) => change.amount !== ZERO),
  ];
  if (moved === undefined) return MATCHED;
  if (inGrace(record.updatedAt, grace)) return skipped('in_grace');
  return transactionFinding('missing_notification', record, {
    asset: moved.asset,
    expected: moved.amount,
    actual: ZERO,
    detail: `the custody API shows a confirmed incoming of ${moved.amount} ${moved.asset} that no notification told of`,
  });
}
