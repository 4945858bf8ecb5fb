import { inGrace } from '../../domain/deposit/record/comparison.ts';
import type { Deposit } from '../../domain/deposit/deposit.ts';
import type { CustodyTransaction } from '../../domain/fact/custody-record.ts';
import type { LastRollback } from '../../store/reconciler-view.ts';
import { depositsOf } from './comparison.ts';
import { hashKeyOf, hasManyEpochs, incomingSighting, type Snapshot } from './snapshot.ts';

/**
 * How far the service's clock may lag behind ours: the row of a rollback just after a credit must
 * reverse the credit at once.
 */
const CLOCK_LAG_MS = 60_000;

/** Whether a row may be older than our news of its transaction, so that a newer one is needed. */
export function mustBeReadAgain(row: CustodyTransaction, snapshot: Snapshot): boolean {
  return (
    mayPrecedeRollback(row, snapshot) ||
    mayBeOutdated(row, snapshot) ||
    mayPrecedeCredit(row, snapshot)
  );
}

/**
 * Whether a rolled-back row would reverse a credit, although it may be as it was before its
 * transaction was mined again and credited: it is older than the credit, and the rollback that we
 * know may be forged. Once the grace period of this rollback has ended, the row counts.
 */
function mayPrecedeCredit(row: CustodyTransaction, snapshot: Snapshot): boolean {
  if (row.status !== 'rolledback' || !isJustRolledBack(row, snapshot)) return false;
  return depositsOf(row, snapshot).some(
    ({ evidence, credit }) =>
      evidence === 'none' && credit !== null && row.updatedAt < credit.creditedAt - CLOCK_LAG_MS,
  );
}

/**
 * Whether a row would credit a deposit that was rolled back within the grace period, deeper than the
 * webhooks since then said. The custody API may still show the row as it was before the rollback.
 * Once the grace period has ended, its depth counts alone.
 */
function mayBeOutdated(row: CustodyTransaction, snapshot: Snapshot): boolean {
  const depth = row.confirmations ?? 0;
  const isDeepAlone = ({ confirmations, requiredConfirmations: required }: Deposit): boolean =>
    confirmations < required && depth >= required;
  return (
    isJustRolledBack(row, snapshot) &&
    depositsOf(row, snapshot).some((one) => one.evidence === 'confirmed' && isDeepAlone(one))
  );
}

/**
 * Whether our books rolled back what is at a row's position within the grace period, which begins
 * when the API was first read after the rollback. A repeated rollback, and one for another position,
 * do not count: anyone could send one after the other. After very many rollbacks the row alone
 * counts.
 */
export function isJustRolledBack(row: CustodyTransaction, snapshot: Snapshot): boolean {
  const since = snapshot.readSince.get(row.transactionId);
  if (since === undefined || !inGrace(since, snapshot)) return false;
  return !hasManyEpochs(incomingSighting(row, snapshot)?.epoch ?? 0);
}

/**
 * Whether a row was requested before its transaction was rolled back in our books. Then the row may
 * be older than the rollback: its depth would verify a deposit that was mined again a moment ago. A
 * row that shows the rollback itself is not older. A forged rollback under another transaction's id
 * does not count: the row's depth stays true. A repeat, which may be the true one after a forged one,
 * counts for the grace period.
 */
export function mayPrecedeRollback(row: CustodyTransaction, snapshot: Snapshot): boolean {
  const { type, status, askedAfter } = row;
  if (type !== 'incoming' || status === 'rolledback' || askedAfter === undefined) return false;
  if (hasManyEpochs(incomingSighting(row, snapshot)?.epoch ?? 0)) return false;
  const isJust = isJustRolledBack(row, snapshot);
  return rollbacksOf(row, snapshot).some(
    ({ seq, isRepeat }) => seq > askedAfter && (isJust || !isRepeat),
  );
}

/** The last rollbacks of a row's transaction. One that names no transaction counts in its vault. */
function rollbacksOf(row: CustodyTransaction, { rollbacks }: Snapshot): LastRollback[] {
  return (rollbacks.get(hashKeyOf(row)) ?? []).filter((one) =>
    one.transactionId === null
      ? one.vaultId === row.vaultId
      : one.transactionId === row.transactionId,
  );
}
